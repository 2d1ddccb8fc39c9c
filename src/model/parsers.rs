//! Other programs' names for dialects: the tool parsers of vLLM and SGLang, and the formats of llama.cpp.

/// A dialect, and the parsers that read it, with a blank between two. Names of dialects are not among them.
const PARSERS: &[(&str, &str)] = &[
    ("hermes", "qwen qwen25 qwen2.5 hermes-2-pro granite4 granite-4 trinity"),
    ("qwen3-coder", "qwen3-xml qwen3xml qwen3-coder-xml qwen3.5 step3p5 step3.5 mimo nemotron3"),
    ("glm", "glm45 glm47 glm4-moe glm4moe glm-4.5 glm-4.7 poolside-v1"),
    ("harmony", "openai gpt-oss gptoss"),
    ("deepseek-v3", "deepseekv3 deepseek-r1"),
    ("deepseek-v31", "deepseekv31 deepseek-v3.1"),
    ("deepseek-dsml", "deepseekv32 deepseek-v32 deepseek-v3.2 deepseekv4 deepseek-v4"),
    ("json-array", "minimax minimax-m1 hunyuan-a13b internlm interns1 jamba apertus nemotron-v2"),
    ("hunyuan", "hy-v3 hunyuan3"),
    ("llama3-json", "llama3 llama4-json functionary-v3.1 functionary-v3-1"),
    ("llama3-json:xlam", "xlam"),
    ("pythonic", "llama4-pythonic llama4"),
    ("phi4", "phi4-mini-json phi4mini firefunction-v2"),
    ("granite:ernie", "ernie45"),
    ("functionary", "functionary-v3.2 functionary-v3-2"),
    ("command-r", "command-r7b cohere-command3"),
    ("gigachat3", "gigachat"),
    ("apriel", "apriel-1.5"),
    ("mistral", "mistral-nemo"),
    ("kimi-k2", "kimik2"),
    ("step3", "step-3"),
    ("bare-json", "generic"),
];

/// Returns the dialect that the parser of this name reads.
pub(crate) fn read_by(name: &str) -> Option<&'static str> {
    let name = name.to_lowercase().replace('_', "-");
    let known = |(_, names): &&(&str, &str)| names.split(' ').any(|known| known == name);
    PARSERS.iter().find(known).map(|(dialect, _)| *dialect)
}

#[cfg(test)]
mod tests {
    use super::PARSERS;
    use crate::dialect::Dialect;

    #[test]
    fn each_name_is_of_one_parser_and_no_dialects() {
        let names = || PARSERS.iter().flat_map(|(_, names)| names.split(' '));
        for (dialect, _) in PARSERS {
            assert!(Dialect::by_name(dialect).is_ok(), "{dialect}");
        }
        for name in names() {
            assert!(Dialect::by_name(name).is_err(), "{name} is a dialect");
            assert_eq!(names().filter(|other| *other == name).count(), 1, "{name}");
        }
    }
}
