"""`toolstream_rs.httpx`, for clients that speak through `httpx2`, as `openai` does from 3 on::

    import httpx2
    from openai import OpenAI
    from toolstream_rs.httpx2 import Transport

    client = OpenAI(base_url="http://127.0.0.1:8080/v1", api_key="-", http_client=httpx2.Client(transport=Transport("hermes")))
"""

import httpx2

from . import _http


class Transport(_http.Transport, httpx2.BaseTransport, httpx2.AsyncBaseTransport):
    __doc__ = _http.Transport.__doc__
    _http = httpx2
