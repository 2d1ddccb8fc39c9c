"""Tools for a model that writes its calls as text, under any client that speaks through `httpx`.

A server that knows nothing of tools is enough: the transport puts them into the prompt, writes the history as the
model's dialect has it, and reads calls and reasoning out of the text, streamed or whole::

    import httpx
    from openai import OpenAI  # before 3: from then on it speaks through httpx2
    from toolstream_rs.httpx import Transport

    client = OpenAI(base_url="http://127.0.0.1:8080/v1", api_key="-", http_client=httpx.Client(transport=Transport("hermes")))

It takes requests of OpenAI's chat completions that bring tools or calls; all others pass as they are. What it cannot
do is to force a call: `tool_choice` "required", or a named tool, tells the model no more than "auto". A request for
several choices (`n`) with tools is refused.
"""

import httpx

from . import _http


class Transport(_http.Transport, httpx.BaseTransport, httpx.AsyncBaseTransport):
    __doc__ = _http.Transport.__doc__
    _http = httpx
