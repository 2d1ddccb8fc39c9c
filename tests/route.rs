//! Which grammar for which model.

use toolstream::{Dialect, NativeTools, Reason, Router, Start, ToolFormat};

#[test]
fn families_have_their_dialect_and_start() {
    let (text, reasoning) = (Start::Text, Start::Reasoning);
    for (id, dialect, start) in [
        ("NousResearch/Hermes-3-Llama-3.1-8B", Dialect::HERMES, text),
        ("Hermes-2-Pro-Mistral-7B", Dialect::HERMES, text),
        ("NousResearch/DeepHermes-3-Llama-3-8B-Preview", Dialect::HERMES, text),
        ("Qwen/Qwen2.5-72B-Instruct", Dialect::HERMES, text),
        ("qwen/qwen-2.5-72b-instruct", Dialect::HERMES, text),
        ("qwen3:8b", Dialect::HERMES, text),
        ("Qwen/Qwen3-235B-A22B-Instruct-2507", Dialect::HERMES, text),
        ("Qwen/Qwen3-30B-A3B-Thinking-2507", Dialect::HERMES, reasoning),
        ("Qwen3-14B-Claude-4.5-Opus-Distill", Dialect::HERMES, text),
        ("Qwen/QwQ-32B", Dialect::HERMES, reasoning),
        ("Qwen/Qwen3-Coder-30B-A3B", Dialect::QWEN3_CODER, text),
        ("openrouter/qwen/qwen3-coder:free", Dialect::QWEN3_CODER, text),
        ("QWEN3-CODER", Dialect::QWEN3_CODER, text),
        ("Qwen/Qwen3.5-397B-A17B", Dialect::QWEN3_CODER, reasoning),
        ("Qwen/Qwen3.6-27B", Dialect::QWEN3_CODER, reasoning),
        ("nvidia/NVIDIA-Nemotron-3-Nano-30B-A3B-BF16", Dialect::QWEN3_CODER, text),
        ("XiaomiMiMo/MiMo-V2-Flash", Dialect::QWEN3_CODER, text),
        ("stepfun-ai/Step-3.5-Flash", Dialect::QWEN3_CODER, text),
        ("ibm-granite/granite-4.0-h-small", Dialect::HERMES, text),
        ("granite4:tiny-h", Dialect::HERMES, text),
        ("ibm-granite/granite-4.2-8b-thinking", Dialect::QWEN3_CODER, text),
        ("zai-org/GLM-4.5-Air", Dialect::GLM, text),
        ("glm-4.6:cloud", Dialect::GLM, text),
        ("zai-org/GLM-4.7", Dialect::GLM, text),
        ("zai-org/GLM-5", Dialect::GLM, reasoning),
        ("glm-5.1-air", Dialect::GLM, reasoning),
        ("inclusionAI/Ling-3-flash", Dialect::GLM, text),
        ("laguna-m", Dialect::GLM, text),
        ("spark-x2", Dialect::GLM, text),
        ("anthropic/claude-3.5-sonnet", Dialect::INVOKE, text),
    ] {
        let found = Dialect::for_model(id).unwrap_or_else(|| panic!("nothing for {id}"));
        assert_eq!((found.dialect, found.start), (dialect, start), "{id}");
    }
    let minimax = Dialect::for_model("MiniMaxAI/MiniMax-M2.1").expect("a family");
    assert!(minimax.dialect == Dialect::INVOKE || minimax.dialect.name() == "minimax-m2");
    assert_eq!(minimax.start, reasoning);
}

#[test]
fn what_is_no_family_is_none() {
    for id in [
        "",
        "*",
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
        "gpt-5.3-codex-spark",
        "muse-spark",
        "deepseek-ai/DeepSeek-R1-Distill-Qwen-32B",
        "deepseek-ai/DeepSeek-R1-Distill-Llama-3.1-8B",
        "ÄÖÜ\u{0}🦀",
    ] {
        assert_eq!(Dialect::for_model(id), None, "{id}");
    }
}

/// Families of dialects that may be in this build or not: never another one.
#[test]
fn a_family_has_its_own_dialect_or_none() {
    for (id, name) in [
        ("deepseek-ai/DeepSeek-V3.2", "deepseek-dsml"),
        ("deepseek-ai/DeepSeek-V3.2-Exp", "deepseek-v31"),
        ("deepseek-ai/DeepSeek-V3.1-Terminus", "deepseek-v31"),
        ("deepseek-ai/DeepSeek-V3-0324", "deepseek-v3"),
        ("deepseek-ai/DeepSeek-R1-0528", "deepseek-v3"),
        ("moonshotai/Kimi-K2-Thinking", "kimi-k2"),
        ("openai/gpt-oss-120b", "harmony"),
        ("mistralai/Ministral-8B-Instruct-2410", "mistral"),
        ("google/gemma-4-27b-it", "gemma4"),
        ("meta-llama/Llama-3.3-70B-Instruct", "llama3-json"),
        ("llama3.1:8b", "llama3-json"),
        ("meta-llama/Llama-4-Scout-17B-16E", "pythonic"),
        ("ibm-granite/granite-3.3-8b-instruct", "granite"),
        ("nvidia/NVIDIA-Nemotron-Nano-9B-v2", "json-array"),
        ("CohereLabs/c4ai-command-r7b-12-2024", "command-r"),
        ("microsoft/Phi-4-mini-instruct", "phi4"),
    ] {
        let found = Dialect::for_model(id).map(|found| found.dialect);
        assert_eq!(found, Dialect::by_name(name).ok(), "{id}");
    }
}

#[test]
fn templates_show_their_dialect() {
    for (template, dialect) in [
        ("<tool_call>", Some(Dialect::HERMES)),
        ("{{ '<tool_call>' }}<function={{ f }}><parameter=", Some(Dialect::QWEN3_CODER)),
        ("<tool_call>{{ f }}<arg_key>", Some(Dialect::GLM)),
        ("<arg_key><function=<parameter=", Some(Dialect::GLM)),
        ("<function_calls><invoke name=\"{{ f }}\">", Some(Dialect::INVOKE)),
        ("<function=", None),
        ("", None),
        ("{{ bos }}{% for m in messages %}", None),
        // Those of another dialect go before `<tool_call>`, in this build or not.
        ("<｜DSML｜function_calls> <tool_call>", Dialect::by_name("deepseek-dsml").ok()),
        ("[TOOL_CALLS] <tool_call>", Dialect::by_name("mistral").ok()),
        ("<|channel|> <tool_call>", Dialect::by_name("harmony").ok()),
        ("<|channel> <tool_call>", Dialect::by_name("gemma4").ok()),
        ("<|open|> <|sep|> <tool_call>", Dialect::by_name("kimi-k3").ok()),
    ] {
        assert_eq!(Dialect::detect(template), dialect, "{template}");
    }
    let minimax = Dialect::detect("<minimax:tool_call><invoke name=").expect("a dialect");
    assert!(minimax == Dialect::INVOKE || minimax.name() == "minimax-m2");
}

fn fallback() -> Dialect {
    Dialect::by_name("react").unwrap_or(Dialect::TOOL_CALL)
}

#[test]
fn native_where_it_is_offered_else_the_family_else_the_fallback() {
    use NativeTools::{No, Unknown, Yes};
    let native = ToolFormat::Native;
    let router = Router::default();
    for (provider, model, offers, format, reason) in [
        ("openai", "gpt-4.1", Unknown, native, Reason::Native),
        ("OpenAI", "my-own-model", Unknown, native, Reason::Native),
        ("openai-native", "gpt-4.1", Unknown, native, Reason::Native),
        ("anthropic", "claude-sonnet-4-5", Unknown, native, Reason::Native),
        ("gemini", "gemini-2.5-pro", Unknown, native, Reason::Native),
        ("openrouter", "qwen/qwen3-coder", Yes, native, Reason::Native),
        (
            "openrouter",
            "qwen/qwen3-coder",
            Unknown,
            ToolFormat::Text(Dialect::QWEN3_CODER),
            Reason::Family,
        ),
        ("openai", "glm-4.6", No, ToolFormat::Text(Dialect::GLM), Reason::Family),
        ("anthropic", "claude-2.1", No, ToolFormat::Text(Dialect::INVOKE), Reason::Family),
        ("ollama", "my-own-model", Unknown, ToolFormat::Text(fallback()), Reason::Fallback),
        (
            "openaicompatible",
            "my-own-model",
            Unknown,
            ToolFormat::Text(fallback()),
            Reason::Fallback,
        ),
        ("", "", Unknown, ToolFormat::Text(fallback()), Reason::Fallback),
    ] {
        let route = router.route(provider, model, offers);
        assert_eq!((route.format, route.reason), (format, reason), "{provider} {model}");
        assert_eq!(route.start, Start::Text);
    }
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
        assert_eq!(route.format.dialect(), Some(Dialect::CLINE));
        assert_eq!(route.start, Start::Reasoning);
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
            let choice = FormatChoice::Format(ToolFormat::Text(*dialect));
            assert_eq!(dialect.name().parse(), Ok(choice));
        }
        assert_eq!("auto".parse(), Ok(FormatChoice::Auto));
        assert_eq!("native".parse(), Ok(FormatChoice::Format(ToolFormat::Native)));
    }
}
