//! The dialect for each model.

use toolstream::{
    Dialect, Event, Parser, Tool,
    model::{Route, Router, ToolFormat},
    options::{Start, ValueWhitespace},
};

/// Each line has the dialect with its form, the start of the stream, and ids of models.
#[test]
fn families_have_their_dialect_form_and_start() {
    for line in include_str!("../models.txt").lines() {
        let mut words = line.split(' ');
        let (dialect, start) = (words.next().expect("a dialect"), words.next().expect("a start"));
        let start = if start == "reasoning" { Start::Reasoning } else { Start::Text };
        for id in words {
            let found = Dialect::for_model(id).unwrap_or_else(|| panic!("nothing for {id}"));
            assert_eq!((&*found.dialect.to_string(), found.start), (dialect, start), "{id}");
            let verbatim = id.contains("MiMo-V2");
            assert_eq!(found.value_whitespace == ValueWhitespace::Verbatim, verbatim, "{id}");
        }
    }
}

#[test]
fn what_is_no_family_is_none() {
    for id in [
        "",
        "*",
        "/",
        "-",
        "gpt-4.1",
        "my-own-model",
        // No name ends within a number, and none begins within a word.
        "glm-50",
        "qwen30",
        "THUDM/GLM-4.1V-9B-Thinking",
        "THUDM/glm-4-9b-chat",
        "dolling-3",
        "footstep-3.5",
        // A part of each id is the name of another family.
        "qwen3.9-max",
        "gpt-5.3-codex-spark",
        "spark-x2",
        "laguna-m",
        "deepseek-ai/DeepSeek-R1-Distill-Qwen-32B",
        "deepseek-ai/DeepSeek-R1-Distill-Llama-3.1-8B",
        "CohereLabs/c4ai-command-r-plus",
        "deepseek-ai/DeepSeek-R1-0528-Qwen3-8B",
        "deepseek-r1:8b",
        "deepseek-r1:1.5b",
        "deepseek-r1:70b-llama-distill-q4_K_M",
        "Qwen3-14B-Claude-4.5-Opus-Distill",
        "allenai/Llama-3.1-Tulu-3-8B",
        "dolphin-2.9-llama3-8b",
        "dphn/Dolphin3.0-Llama3.1-8B",
        "cognitivecomputations/Dolphin3.0-Mistral-24B",
        "dolphincoder:15b-starcoder2",
        "deepseek-ai/DeepSeek-Coder-V2-Instruct",
        "teknium/OpenHermes-2.5-Mistral-7B",
        "NousResearch/Nous-Hermes-2-Mixtral-8x7B-DPO",
        "nous-hermes2:10.7b",
        "Hermes-2.5-Mistral-7B",
        "XiaomiMiMo/MiMo-7B-RL",
        "meta-llama/Meta-Llama-3-8B-Instruct",
        "meta-llama/Meta-Llama-3-70B-Instruct",
        "llama_3_8b",
        "llama3:8b",
        "llama3",
        "mistralai/Mistral-7B-Instruct-v0.1",
        "TheBloke/Mistral-7B-Instruct-v0.2-GGUF",
        "nvidia/Llama-3_3-Nemotron-Super-49B-v1",
        "nvidia/Llama-3.1-Nemotron-70B-Instruct-HF",
        "Qwen/Qwen3-Embedding-8B",
        "Qwen/Qwen3-Reranker-4B",
        "Qwen/Qwen3Guard-Gen-8B",
        "meta-llama/Llama-Guard-3.1-8B",
        "google/gemma-3-27b-it",
        "google/gemma-2-9b-it",
        "microsoft/phi-4",
        "microsoft/Phi-3-mini-4k-instruct",
        "Qwen/Qwen2-7B-Instruct",
        "CohereLabs/c4ai-command-r-08-2024",
        "ibm-granite/granite-20b-functioncalling",
        // By our ruling these have no dialect, because their templates are not known here.
        "sbintuitions/sarashina2.2-3b-instruct-v0.1",
        "EssentialAI/rnj-1-instruct",
        "PrimeIntellect/INTELLECT-3",
        "nvidia/Nemotron-Orchestrator-8B",
        "tiiuae/Falcon-H1-7B-Instruct",
        "HuggingFaceTB/SmolLM2-1.7B-Instruct",
        "ÄÖÜ\u{0}🦀",
        "-é-4",
    ] {
        assert_eq!(Dialect::for_model(id), None, "{id}");
    }
}

/// The longer of two names in one id decides. If both have one length, the first decides.
#[test]
fn the_longest_name_decides_then_the_first() {
    for (id, dialect) in [
        ("qwen3-ling-3", Dialect::HERMES),
        ("ling-3-qwen3", Dialect::GLM),
        ("glm-5-hermes", Dialect::HERMES),
        // The owner's name counts if the model's name says nothing.
        ("hermes/glm-5", Dialect::GLM),
        ("glm-5/my-model", Dialect::GLM),
    ] {
        assert_eq!(
            Dialect::for_model(id).expect("a family").dialect.name(),
            dialect.name(),
            "{id}"
        );
    }
}

#[test]
fn templates_show_their_dialect() {
    let named = |name: &str| Dialect::by_name(name).ok();
    for (template, dialect) in [
        ("<tool_call>", Some(Dialect::HERMES)),
        ("{{ '<tool_call>' }}<function={{ f }}><parameter=", Some(Dialect::QWEN3_CODER)),
        ("<tool_call>{{ f }}<arg_key>", Some(Dialect::GLM)),
        ("<arg_key><function=<parameter=", Some(Dialect::GLM)),
        ("<function_calls><invoke name=\"{{ f }}\">", Some(Dialect::INVOKE)),
        ("<function=", None),
        ("", None),
        ("{{ bos }}{% for m in messages %}", None),
        // Markers of another dialect win over those above, whether this build has the dialect or not.
        ("<seed:tool_call><function={{ f }}><parameter={{ p }}>", named("seed-oss")),
        ("<tool_calls>[<tool_call>] [BEGIN FINAL RESPONSE]", named("apriel")),
        ("<tool_calls> <tool_call>", named("json-array")),
        ("<minimax:tool_call><function_calls><invoke name=", named("minimax-m2")),
        ("]<]minimax[>[ <tool_call><invoke name=", named("minimax-m3")),
        ("{{ '｜DSML｜' }}function_calls> <tool_call>", named("deepseek-dsml")),
        ("<longcat_tool_call> <arg_key>", named("longcat")),
        ("<iquest_tool_call><function=<parameter=", named("iquest-q1")),
        ("<｜hy_tool_call> <arg_key>", named("hunyuan")),
        ("steptml: <function_calls><invoke name=", named("step3")),
        ("<function name= <param name= <tool_call>", named("minicpm5")),
        ("[TOOL_CALLS] <tool_call>", named("mistral")),
        ("<|channel|> <tool_call>", named("harmony")),
        ("<|channel> <tool_call>", named("gemma4")),
        ("<|tool_call> <tool_call>", named("gemma4")),
        ("<|tool_call|> <tool_call>", named("granite")),
        ("<|open|> <|sep|> <tool_call>", named("kimi-k3")),
        ("<｜tool▁calls▁begin｜> <tool_call>", named("deepseek-v31")),
        ("<｜tool▁calls▁begin｜><think></think> function<｜tool▁sep｜>", named("deepseek-v3")),
        ("<｜tool▁calls▁begin｜><think></think> ```json", named("deepseek-v3")),
        ("<function_calls> environment", named("olmo3")),
        ("function call <|role_sep|> <tool_call>", named("gigachat3")),
        ("{\"name\": f, \"parameters\": dictionary} <tool_call>", named("llama3-json")),
    ] {
        assert_eq!(Dialect::detect(template), dialect, "{template}");
    }
}

#[test]
fn the_end_of_the_prompt_shows_where_the_stream_begins() {
    for end in ["<think>", "<think>\n", "x<thinking> \t\r\n\n", "</think>\n<think>"] {
        assert_eq!(Start::of_prompt(end), Start::Reasoning, "{end}");
    }
    // A dialect's opener of reasoning opens it at the end of a prompt, too.
    for (dialect, end) in [
        (Dialect::MINIMAX_M3, "<mm:think>"),
        (Dialect::SEED_OSS, "<seed:think>"),
        (Dialect::LONGCAT, "<longcat_think>\n"),
        (Dialect::K2_HORIZON, "<ifm|think>"),
        (Dialect::K2_HORIZON, "<ifm|think_fast>"),
        (Dialect::K2_HORIZON, "<ifm|think_faster>"),
        (Dialect::SOLAR_OPEN, "<|think|>"),
        (Dialect::SOLAR_OPEN2, "<|think:start|>"),
        (Dialect::PLAMO3, "<|plamo:begin_think:plamo|>"),
        (Dialect::COMMAND_R, "<|START_THINKING|>"),
        (Dialect::GEMMA4, "<|channel>thought\n"),
        (Dialect::HARMONY, "<|channel|>analysis<|message|>"),
        (Dialect::INKLING, "<|content_thinking|>"),
        (Dialect::KIMI_K3, "<|open|>think<|sep|>"),
        (Dialect::MISTRAL, "[THINK]"),
        (Dialect::HUNYUAN, "<think:opensource>"),
        (Dialect::HUNYUAN, "<think:6124c78e>"),
        (Dialect::HERMES, "<think>"),
    ] {
        assert_eq!(Start::of_prompt(end), Start::Reasoning, "{end}");
        let parser = Parser::builder(&dialect).tool(Tool::new("list")).build().expect("a parser");
        let mut kinds = Vec::new();
        parser.clone().feed_with(&format!("{end}so"), |event| match event {
            Event::Reasoning(text) => kinds.push(text.contains("so")),
            Event::TextContent(_) => kinds.push(false),
            _ => {}
        });
        assert_eq!(kinds.last(), Some(&true), "{dialect:?} {end}");
    }
    // The opener of Apriel is a sentence, which stands only in its prompt.
    assert_eq!(Start::of_prompt("\nHere are my reasoning steps:\n"), Start::Reasoning);
    for end in [
        "",
        "\n",
        "assistant\n",
        "<think>\n\n</think>\n\n",
        "<thinking></thinking>",
        "<think>\u{a0}",
        "<think> hard",
        "think>",
        "<think:>",
        "<think:a b>",
        "</think:opensource>",
    ] {
        assert_eq!(Start::of_prompt(end), Start::Text, "{end}");
    }
}

const NATIVE: &str = "the provider has tools of its own";
const FAMILY: &str = "the model was trained on it";
const FALLBACK: &str = "nothing is known of the model, and any model can follow it";

/// Returns `native`, or the dialect with its form.
fn format(route: &Route) -> String {
    route.text.as_ref().map_or("native".into(), |model| model.dialect.to_string())
}

#[test]
fn native_where_it_is_offered_else_the_family_else_the_fallback() {
    let (unknown, yes, no) = (None, Some(true), Some(false));
    let router = Router::default();
    for (provider, model, offers, told, reason) in [
        ("openai", "gpt-4.1", unknown, "native", NATIVE),
        ("OpenAI", "my-own-model", unknown, "native", NATIVE),
        ("openai-native", "gpt-4.1", unknown, "native", NATIVE),
        ("anthropic", "claude-sonnet-4-5", unknown, "native", NATIVE),
        ("gemini", "gemini-2.5-pro", unknown, "native", NATIVE),
        ("openrouter", "qwen/qwen3-coder", yes, "native", NATIVE),
        ("openrouter", "qwen/qwen3-coder", unknown, "qwen3-coder", FAMILY),
        ("openai", "glm-4.6", no, "glm", FAMILY),
        ("anthropic", "claude-2.1", no, "invoke", FAMILY),
        ("ollama", "my-own-model", unknown, "react", FALLBACK),
        ("openaicompatible", "my-own-model", unknown, "react", FALLBACK),
        ("", "", unknown, "react", FALLBACK),
    ] {
        let route = router.route(provider, model, offers);
        assert_eq!((&*format(&route), route.reason), (told, reason), "{provider} {model}");
        assert!(route.text.is_none_or(|text| text.start == Start::Text));
    }
    // White space in values is read as the model writes it, in the dialect of its training.
    let text = |model| router.route("vllm", model, None).text.expect("text");
    assert_eq!(
        text("XiaomiMiMo/MiMo-V2-Flash").options().value_whitespace,
        ValueWhitespace::Verbatim
    );
    assert_eq!(text("qwen3").options().value_whitespace, ValueWhitespace::Default);
    // The model decides where the stream begins, in any dialect.
    assert_eq!(text("zai-org/GLM-5").options().start, Start::Reasoning);
    let r1 = router.route("vllm", "deepseek-r1-distill-qwen-7b", None);
    assert_eq!((r1.text.expect("text").start, r1.reason), (Start::Reasoning, FALLBACK));
    assert_eq!(text("my-own-model").names().count(), 0);
}

#[cfg(feature = "json")]
mod config {
    use super::*;
    use serde_json::json;

    fn router(config: serde_json::Value) -> Router {
        serde_json::from_value(config).expect("a configuration")
    }

    #[test]
    fn the_more_particular_word_decides() {
        let router = router(json!({
            "tool_format": "native",
            "providers": {"Ollama": "glm", "openai": "hermes", "local": "auto"},
            "models": {"qwen*": "qwen3-coder", "qwen/*coder*": "cline", "*": "invoke", "auto-*": "auto"},
        }));
        let format = |provider, model| {
            let route = router.route(provider, model, Some(false));
            (super::format(&route), route.reason)
        };
        let model = |name: &str| (name.to_string(), "the configuration says so of the model");
        assert_eq!(format("ollama", "Qwen3:8b"), model("qwen3-coder"));
        assert_eq!(format("ollama", "qwen/Qwen3-Coder"), model("cline"));
        assert_eq!(format("ollama", "my-own-model"), model("invoke"));
        // An `auto` in an id is just a word.
        assert_eq!(format("ollama", "auto-glm-5"), ("glm:inline".into(), FAMILY));
    }

    #[test]
    fn providers_and_the_default() {
        let router = router(json!({
            "tool_format": "native", "providers": {"Ollama": "glm", "local": "auto"},
        }));
        let format = |provider, model| {
            let route = router.route(provider, model, None);
            (super::format(&route), route.reason)
        };
        assert_eq!(
            format("ollama", "qwen3"),
            ("glm".into(), "the configuration says so of the provider")
        );
        assert_eq!(
            format("vllm", "qwen3"),
            ("native".into(), "the configuration says so of everything")
        );
        assert_eq!(format("local", "qwen3"), ("hermes".into(), FAMILY));
    }

    #[test]
    fn an_overridden_dialect_keeps_the_start_of_the_model() {
        let router = router(json!({"models": {"*glm-5*": "cline"}}));
        let route = router.route("vllm", "zai-org/GLM-5", None);
        let text = route.text.expect("text");
        assert_eq!((text.dialect, text.start), (Dialect::CLINE, Start::Reasoning));
        // But white space in values is read as in the dialect that overrides.
        let router = self::router(json!({"models": {"*mimo*": "cline"}}));
        let route = router.route("vllm", "MiMo-V2-Flash", None);
        assert_eq!(route.text.expect("text").value_whitespace, ValueWhitespace::Default);
    }

    /// A pattern's length counts without its stars.
    #[test]
    fn stars_make_no_pattern_longer() {
        let router = router(json!({"models": {"*q*w*e*n*3*": "cline", "qwen3*8b": "glm"}}));
        let route = router.route("ollama", "qwen3:8b", None);
        assert_eq!(super::format(&route), "glm");
    }

    #[test]
    fn several_dialects_are_a_format() {
        let router = router(json!({"tool_format": "react+tool-call"}));
        let route = router.route("ollama", "qwen3:8b", None);
        assert_eq!(super::format(&route), "react+tool-call");
        assert_eq!(route.text.expect("text").dialect, Dialect::REACT.and(Dialect::TOOL_CALL));
        let three = "react+hermes+glm".parse::<ToolFormat>().expect("known names");
        let all = Dialect::REACT.and(Dialect::HERMES).and(Dialect::GLM);
        assert_eq!(three, ToolFormat::Text(all));
    }

    #[test]
    fn mistakes_are_told() {
        let error = |config: serde_json::Value| {
            serde_json::from_value::<Router>(config).expect_err("a mistake").to_string()
        };
        let told = error(json!({"tool_fromat": "native"}));
        assert!(told.contains("`tool_fromat`") && told.contains("`tool_format`"), "{told}");
        let told = error(json!({"models": {"x": "klein"}}));
        assert!(
            told.starts_with("unknown tool format `klein`: use auto, native, or one of cline"),
            "{told}"
        );
        error(json!({"tool_format": null}));
        assert_eq!(error(json!(["native"])), "invalid type: sequence, expected an object");
        error(json!({"providers": ["react"]}));
        assert_eq!(serde_json::from_str::<Router>("{}").expect("nothing"), Router::default());
    }

    #[test]
    fn every_dialect_is_a_format() {
        for dialect in Dialect::ALL {
            let format = ToolFormat::Text(dialect.clone());
            assert_eq!(dialect.name().parse(), Ok(format));
        }
        assert_eq!("auto".parse(), Ok(ToolFormat::Auto));
        assert_eq!("native".parse(), Ok(ToolFormat::Native));
    }
}

/// Every opener of reasoning opens it at the end of a prompt, in new dialects, too.
#[test]
#[cfg(feature = "json")]
fn the_end_of_the_prompt_knows_every_dialect() {
    let mut found = 0;
    for dialect in Dialect::ALL {
        let [open, _] = dialect.reasoning_markers();
        for text in open {
            assert_eq!(Start::of_prompt(text), Start::Reasoning, "{dialect}: {text}");
            found += 1;
        }
    }
    assert!(found > 40, "only {found}");
}

/// Every opener that a dialect names opens reasoning at the start of a message.
#[test]
fn reasoning_markers_are_read() {
    let mut found = 0;
    for dialect in Dialect::ALL {
        let parser = Parser::builder(dialect)
            .build()
            .or_else(|_| Parser::builder(dialect).tool(toolstream::Tool::new("read")).build());
        let parser = parser.expect("a parser");
        let [open, _] = dialect.reasoning_markers();
        for opener in open {
            let message = parser.parse(&format!("{opener}\nwhy"));
            assert_eq!(message.reasoning().trim(), "why", "{dialect}: {opener}");
            found += 1;
        }
    }
    assert!(found > 40, "only {found}");
    assert!(Dialect::MISTRAL.reasoning_markers()[0].contains(&"[THINK]"));
}
