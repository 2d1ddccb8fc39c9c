//! Which grammar for which model.

use toolstream::{Dialect, NativeTools, Reason, Router, Start, ToolFormat, ValueWhitespace};

#[test]
fn families_have_their_dialect_and_start() {
    let (text, reasoning) = (Start::Text, Start::Reasoning);
    for (dialect, start, ids) in [
        (
            Dialect::HERMES,
            text,
            "NousResearch/Hermes-3-Llama-3.1-8B Hermes-2-Pro-Mistral-7B hermes2-mixtral-8x7b \
             NousResearch/DeepHermes-3-Llama-3-8B-Preview Qwen/Qwen2.5-72B-Instruct \
             qwen/qwen-2.5-72b-instruct qwen3:8b Qwen/Qwen3-235B-A22B-Instruct-2507 \
             Qwen3-14B-Claude-4.5-Opus-Distill ibm-granite/granite-4.0-h-small granite4:tiny-h \
             XiaomiMiMo/MiMo-VL-7B-RL RekaAI/reka-flash-3.1 speakleash/Bielik-11B-v3.0-Instruct \
             HuggingFaceTB/SmolLM3-3B arcee-ai/Trinity-Mini LGAI-EXAONE/EXAONE-4.0-32B \
             LGAI-EXAONE/K-EXAONE-236B-A23B",
        ),
        (Dialect::HERMES, reasoning, "Qwen/Qwen3-30B-A3B-Thinking-2507 Qwen/QwQ-32B"),
        (
            Dialect::QWEN3_CODER,
            text,
            "Qwen/Qwen3-Coder-30B-A3B openrouter/qwen/qwen3-coder:free QWEN3-CODER qwen-3-coder \
             Nanbeige/Nanbeige4.1-3B LGAI-EXAONE/K-EXAONE-2-300B \
             ibm-granite/granite-4.2-8b-thinking XiaomiMiMo/MiMo-V2-Flash",
        ),
        (
            Dialect::QWEN3_CODER,
            reasoning,
            "Qwen/Qwen3.5-397B-A17B Qwen/Qwen3.6-27B qwen-3.7-max qwen3.8 stepfun-ai/Step-3.5-Flash \
             nvidia/NVIDIA-Nemotron-3-Nano-30B-A3B-BF16 nemotron3:super step-3.7 Step-5 \
             stepfun-ai/something",
        ),
        (
            Dialect::GLM,
            text,
            "zai-org/GLM-4.5-Air glm4.5 GLM-4.5V glm-4.6:cloud poolside/laguna-xs.2 laguna-xs",
        ),
        (
            Dialect::GLM,
            reasoning,
            "zai-org/GLM-4.7 glm4.7-flash zai-org/GLM-5 glm-5.1-air glm5 inclusionAI/Ling-3-flash \
             ling-3.0 iflytek/Spark-2.5 poolside/Laguna-S",
        ),
        (Dialect::INVOKE, text, "anthropic/claude-3.5-sonnet claude-opus-4-5"),
    ] {
        for id in ids.split_whitespace() {
            let found = Dialect::for_model(id).unwrap_or_else(|| panic!("nothing for {id}"));
            assert_eq!((&found.dialect, found.start), (&dialect, start), "{id}");
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
        // No name ends within a number, none begins within a word.
        "glm-50",
        "qwen30",
        "THUDM/GLM-4.1V-9B-Thinking",
        "THUDM/glm-4-9b-chat",
        "dolling-3",
        "footstep-3.5",
        // A part of these is the name of a family that they are none of.
        "qwen3.9-max",
        "gpt-5.3-codex-spark",
        "spark-x2",
        "laguna-m",
        "deepseek-ai/DeepSeek-R1-Distill-Qwen-32B",
        "deepseek-ai/DeepSeek-R1-Distill-Llama-3.1-8B",
        "CohereLabs/c4ai-command-r-plus",
        "ÄÖÜ\u{0}🦀",
        "-é-4",
    ] {
        assert_eq!(Dialect::for_model(id), None, "{id}");
    }
}

/// Families of dialects that may be in this build or not: never another one.
#[test]
fn a_family_has_its_own_dialect_or_none() {
    for (name, ids) in [
        ("minimax-m2", "MiniMaxAI/MiniMax-M2.1"),
        ("minimax-m3", "MiniMax-M3"),
        ("json-array", "MiniMax-M1-80k nvidia/NVIDIA-Nemotron-Nano-9B-v2 Hunyuan-A13B-Instruct"),
        ("json-array", "swiss-ai/Apertus-8B ai21labs/AI21-Jamba-Mini-1.7 internlm/internlm3-8b"),
        ("deepseek-dsml", "deepseek-ai/DeepSeek-V3.2 DeepSeek-V4 deepseek-v4.1-pro"),
        ("deepseek-v31", "deepseek-ai/DeepSeek-V3.2-Exp deepseek-ai/DeepSeek-V3.1-Terminus"),
        ("deepseek-v3", "deepseek-ai/DeepSeek-V3-0324 deepseek-ai/DeepSeek-R1-0528"),
        ("kimi-k2", "moonshotai/Kimi-K2-Thinking kimi-k2.5 kimi-k2-0905"),
        ("kimi-k3", "moonshotai/Kimi-K3"),
        ("harmony", "openai/gpt-oss-120b"),
        ("mistral", "mistralai/Ministral-8B-Instruct-2410 mistralai/Devstral-Small-2507"),
        ("command-r", "CohereLabs/c4ai-command-r7b-12-2024 command-a-03-2025 command-a-reasoning"),
        ("cohere-cofl", "command-5"),
        ("hunyuan", "tencent/Hy3-preview Hunyuan-3 hy4"),
        ("gemma4", "google/gemma-4-27b-it"),
        ("functiongemma", "google/functiongemma-270m-it"),
        ("llama3-json", "meta-llama/Llama-3.3-70B-Instruct llama3.1:8b Salesforce/xLAM-2-8b-fc-r"),
        ("llama3-json", "meetkai/functionary-small-v3.1"),
        ("functionary", "meetkai/functionary-small-v3.2"),
        ("pythonic", "meta-llama/Llama-4-Scout-17B-16E Team-ACE/ToolACE-2-Llama-3.1-8B"),
        ("granite", "ibm-granite/granite-3.3-8b-instruct baidu/ERNIE-4.5-21B-A3B-Thinking"),
        ("phi4", "microsoft/Phi-4-mini-instruct"),
        ("lfm2", "LiquidAI/LFM2.5-1.2B-Instruct"),
        ("minicpm5", "openbmb/MiniCPM5-8B"),
        ("solar-open", "upstage/Solar-Open-100B"),
        ("solar-open2", "upstage/Solar-Open-2-250B"),
        ("gigachat3", "ai-sage/GigaChat3-10B-A1.8B"),
        ("gigachat35", "ai-sage/GigaChat3.5-Ultra"),
        ("seed-oss", "ByteDance-Seed/Seed-OSS-36B-Instruct"),
        ("dots", "rednote-hilab/dots.llm1.inst"),
        ("apriel", "ServiceNow-AI/Apriel-1.5-15b-Thinker ServiceNow-AI/Apriel-1.6-15b-Thinker"),
        ("longcat", "meituan-longcat/LongCat-Flash-Thinking meituan-longcat/LongCat-Flash-Chat"),
        ("plamo3", "pfnet/plamo-3-nict-31b"),
        ("step3", "stepfun-ai/step3"),
    ] {
        for id in ids.split_whitespace() {
            let found = Dialect::for_model(id).map(|found| found.dialect);
            assert_eq!(found, Dialect::by_name(name).ok(), "{id}");
        }
    }
}

/// Of two names in one id the longest decides; of two as long, the first.
#[test]
fn the_longest_name_decides_then_the_first() {
    for (id, dialect) in [
        ("qwen3-ling-3", Dialect::HERMES),
        ("ling-3-qwen3", Dialect::GLM),
        ("glm-5-hermes", Dialect::HERMES),
        // The owner's name counts where the model's says nothing.
        ("hermes/glm-5", Dialect::GLM),
        ("glm-5/my-model", Dialect::GLM),
    ] {
        assert_eq!(Dialect::for_model(id).expect("a family").dialect, dialect, "{id}");
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
        // Those of another dialect go before the ones above, in this build or not.
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
        ("<｜tool▁calls▁begin｜> <tool_call>", named("deepseek-v3")),
        ("<｜tool▁calls▁begin｜><think></think> <tool_call>", named("deepseek-v31")),
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
    for end in [
        "",
        "\n",
        "assistant\n",
        "<think>\n\n</think>\n\n",
        "<thinking></thinking>",
        "<think>\u{a0}",
        "<think> hard",
        "think>",
        "<|think|>",
    ] {
        assert_eq!(Start::of_prompt(end), Start::Text, "{end}");
    }
}

#[test]
fn native_where_it_is_offered_else_the_family_else_the_fallback() {
    use NativeTools::{No, Unknown, Yes};
    let router = Router::default();
    for (provider, model, offers, format, reason) in [
        ("openai", "gpt-4.1", Unknown, ToolFormat::Native, Reason::Native),
        ("OpenAI", "my-own-model", Unknown, ToolFormat::Native, Reason::Native),
        ("openai-native", "gpt-4.1", Unknown, ToolFormat::Native, Reason::Native),
        ("anthropic", "claude-sonnet-4-5", Unknown, ToolFormat::Native, Reason::Native),
        ("gemini", "gemini-2.5-pro", Unknown, ToolFormat::Native, Reason::Native),
        ("openrouter", "qwen/qwen3-coder", Yes, ToolFormat::Native, Reason::Native),
        (
            "openrouter",
            "qwen/qwen3-coder",
            Unknown,
            ToolFormat::Text(Dialect::QWEN3_CODER),
            Reason::Family,
        ),
        ("openai", "glm-4.6", No, ToolFormat::Text(Dialect::GLM), Reason::Family),
        ("anthropic", "claude-2.1", No, ToolFormat::Text(Dialect::INVOKE), Reason::Family),
        ("ollama", "my-own-model", Unknown, ToolFormat::Text(Dialect::REACT), Reason::Fallback),
        (
            "openaicompatible",
            "my-own-model",
            Unknown,
            ToolFormat::Text(Dialect::REACT),
            Reason::Fallback,
        ),
        ("", "", Unknown, ToolFormat::Text(Dialect::REACT), Reason::Fallback),
    ] {
        let route = router.route(provider, model, offers);
        assert_eq!((route.format, route.reason), (format, reason), "{provider} {model}");
        assert_eq!(route.start, Start::Text);
    }
    // Values stand as the model writes them, in the dialect that it was trained on.
    let mimo = router.route("vllm", "XiaomiMiMo/MiMo-V2-Flash", Unknown);
    assert_eq!(mimo.value_whitespace, ValueWhitespace::Verbatim);
    assert_eq!(router.route("openai", "mimo", Unknown).value_whitespace, ValueWhitespace::Default);
    // Where the stream begins is for the model to say, whatever the dialect.
    assert_eq!(router.route("vllm", "zai-org/GLM-5", Unknown).start, Start::Reasoning);
    let r1 = router.route("vllm", "deepseek-r1-distill-qwen-7b", Unknown);
    assert_eq!((r1.start, r1.reason), (Start::Reasoning, Reason::Fallback));
}

#[cfg(feature = "json")]
mod config {
    use super::*;
    use serde_json::json;
    use toolstream::{FormatChoice, RouterConfig};

    fn router(config: serde_json::Value) -> Router {
        Router::new(serde_json::from_value(config).expect("a configuration"))
    }

    #[test]
    fn the_more_particular_word_decides() {
        let router = router(json!({
            "tool_format": "native",
            "providers": {"Ollama": "glm", "openai": "hermes", "local": "auto"},
            "models": {"qwen*": "qwen3-coder", "qwen/*coder*": "cline", "*": "invoke", "auto-*": "auto"},
        }));
        let format = |provider, model| {
            let route = router.route(provider, model, NativeTools::No);
            (route.format.to_string(), route.reason)
        };
        let model = |name: &str| (name.to_string(), Reason::Model);
        assert_eq!(format("ollama", "Qwen3:8b"), model("qwen3-coder"));
        assert_eq!(format("ollama", "qwen/Qwen3-Coder"), model("cline"));
        assert_eq!(format("ollama", "my-own-model"), model("invoke"));
        // An `auto` is a word, too.
        assert_eq!(format("ollama", "auto-glm-5"), ("glm".into(), Reason::Family));
    }

    #[test]
    fn providers_and_the_default() {
        let router = router(json!({
            "tool_format": "native", "providers": {"Ollama": "glm", "local": "auto"},
        }));
        let format = |provider, model| {
            let route = router.route(provider, model, NativeTools::Unknown);
            (route.format.to_string(), route.reason)
        };
        assert_eq!(format("ollama", "qwen3"), ("glm".into(), Reason::Provider));
        assert_eq!(format("vllm", "qwen3"), ("native".into(), Reason::Default));
        assert_eq!(format("local", "qwen3"), ("hermes".into(), Reason::Family));
    }

    #[test]
    fn an_overridden_dialect_keeps_the_start_of_the_model() {
        let router = router(json!({"models": {"*glm-5*": "cline"}}));
        let route = router.route("vllm", "zai-org/GLM-5", NativeTools::Unknown);
        assert_eq!(route.format.dialect(), Some(&Dialect::CLINE));
        assert_eq!(route.start, Start::Reasoning);
        // But its white space is that of the dialect.
        let router = self::router(json!({"models": {"*mimo*": "cline"}}));
        let route = router.route("vllm", "MiMo-V2-Flash", NativeTools::Unknown);
        assert_eq!(route.value_whitespace, ValueWhitespace::Default);
    }

    /// A pattern is as particular as what it says, stars say nothing.
    #[test]
    fn stars_make_no_pattern_longer() {
        let router = router(json!({"models": {"*q*w*e*n*3*": "cline", "qwen3*8b": "glm"}}));
        let route = router.route("ollama", "qwen3:8b", NativeTools::Unknown);
        assert_eq!(route.format.dialect(), Some(&Dialect::GLM));
    }

    #[test]
    fn two_dialects_are_a_format() {
        let router = router(json!({"tool_format": "react+tool-call"}));
        let route = router.route("ollama", "qwen3:8b", NativeTools::Unknown);
        assert_eq!(route.format.dialect(), Some(&Dialect::REACT.and(Dialect::TOOL_CALL)));
        assert_eq!(route.format.to_string(), "react+tool-call");
        let three = "react+hermes+glm".parse::<FormatChoice>().unwrap_err();
        assert!(three.to_string().starts_with("`react+hermes+glm` is too many"), "{three}");
    }

    #[test]
    fn mistakes_are_told() {
        let error = |config: serde_json::Value| {
            serde_json::from_value::<RouterConfig>(config).expect_err("a mistake").to_string()
        };
        let told = error(json!({"tool_fromat": "native"}));
        assert!(told.contains("`tool_fromat`") && told.contains("`tool_format`"), "{told}");
        let told = error(json!({"models": {"x": "klein"}}));
        assert!(
            told.starts_with("unknown tool format `klein`: use auto, native, or one of cline"),
            "{told}"
        );
        error(json!({"tool_format": null}));
        error(json!({"providers": ["react"]}));
        assert_eq!(
            serde_json::from_str::<RouterConfig>("{}").expect("nothing"),
            RouterConfig::default()
        );
    }

    #[test]
    fn every_dialect_is_a_format() {
        for dialect in Dialect::ALL {
            let choice = FormatChoice::Format(ToolFormat::Text(dialect.clone()));
            assert_eq!(dialect.name().parse(), Ok(choice));
        }
        assert_eq!("auto".parse(), Ok(FormatChoice::Auto));
        assert_eq!("native".parse(), Ok(FormatChoice::Format(ToolFormat::Native)));
    }
}
