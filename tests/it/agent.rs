//! The example agent over a socket, against a model that misbehaves on purpose. Each chat ends well.

#[allow(dead_code)]
#[path = "../../examples/agent/main.rs"]
mod example;

use std::io::Cursor;
use std::time::Duration;

use example::support::{Answer, Endpoint, scripts};
use example::tools::Folder;
use serde_json::Value;
use toolstream::Dialect;

const PATIENCE: Duration = Duration::from_secs(20);

/// Remains of a chat: the screen, the conversations that the model was sent, the folder.
struct Chat {
    screen: String,
    sent: Vec<Vec<String>>,
    folder: Folder,
}

impl Chat {
    /// The last message that the model had before its answer of this number.
    #[track_caller]
    fn told(&self, answer: usize) -> &str {
        self.sent[answer].last().expect("a message")
    }

    fn file(&self, name: &str) -> String {
        std::fs::read_to_string(self.folder.path().join(name)).unwrap_or_default()
    }
}

/// A chat in which the user types `words` and the model gives these answers. The folder has one file, `notes.txt` with the
/// text "buy lead".
async fn chat(dialect: Dialect, words: &str, script: Vec<Answer>) -> Chat {
    let answers = script.len();
    let model = Endpoint::scripted(script).expect("a server");
    let folder = Folder::new().expect("a folder");
    std::fs::write(folder.path().join("notes.txt"), "buy lead").expect("a file");
    let mut agent = example::agent(dialect).expect("an agent");
    let (mut input, mut out) = (Cursor::new(words), Vec::new());
    let chat = example::chat(&mut agent, &model, &folder, &mut input, &mut out);
    let end = tokio::time::timeout(PATIENCE, chat).await.expect("it ends in time");
    let screen = String::from_utf8(out).expect("text");
    end.unwrap_or_else(|error| panic!("{error}\n{screen}"));
    let contents = |request: &Value| -> Vec<String> {
        let messages = request["messages"].as_array().expect("messages");
        messages.iter().map(|message| message["content"].as_str().unwrap().to_string()).collect()
    };
    let sent: Vec<_> =
        model.server.as_ref().expect("a server").requests().iter().map(contents).collect();
    assert_eq!(sent.len(), answers, "all answers were asked for:\n{screen}");
    assert!(screen.ends_with("\n> "), "it ends at the user's turn:\n{screen}");
    Chat { screen, sent, folder }
}

const READ: &str = "<read_file>\n<name>notes.txt</name>\n</read_file>";

#[tokio::test]
async fn text_only_three_times() {
    let script = vec![
        Answer::chat(["I will read", " it."]),
        Answer::chat(["Let me read it."]),
        Answer::chat(["Reading…"]),
        Answer::chat(["Oh. ", READ]),
        Answer::chat(["Buy lead."]),
    ];
    let words = "Read notes.txt.\nUse read_file!\n";
    let chat = chat(Dialect::CLINE, words, script).await;
    assert!(chat.told(1).contains("No tool was called"), "{}", chat.told(1));
    assert_eq!(chat.screen.matches("[that was no answer: again]").count(), 2);
    assert!(chat.screen.contains("3 times in a row"), "{}", chat.screen);
    assert_eq!(chat.told(3), "Use read_file!");
    assert!(chat.told(4).contains("buy lead"));
    assert!(chat.screen.contains("\nBuy lead.\n"), "{}", chat.screen);
}

#[tokio::test]
async fn two_tools_at_once() {
    let write = |name: &str| {
        format!("<write_file>\n<name>{name}</name>\n<content>x</content>\n</write_file>")
    };
    let both = write("a") + &write("b");
    let script = vec![
        Answer::chat([&*both]),
        Answer::chat([&*write("b")]),
        Answer::chat(["Both are ", "there."]),
    ];
    let chat = chat(Dialect::CLINE, "Write the files a and b.\n", script).await;
    assert!(chat.told(1).contains("written") && chat.told(1).contains("only one tool per message"));
    assert!(!chat.sent[1].iter().any(|said| said.contains("<name>b</name>")), "it was not kept");
    assert!(!chat.told(2).contains("only one tool"));
    assert_eq!((chat.file("a"), chat.file("b")), ("x".to_string(), "x".to_string()));
}

#[tokio::test]
async fn a_cut_stream() {
    let write = |text| {
        Answer::chat([
            "Thought: I write.\nAction: write_file\nAction Input: {\"name\": \"a\", ",
            text,
            "\n",
        ])
    };
    let script = vec![
        write("\"content\": \"half and more\"}").cut_after("half"),
        write("\"content\": \"whole\"}"),
        Answer::chat(["Thought: Done.\nFinal Answer: It is written."]),
    ];
    let chat = chat(Dialect::REACT, "Write the file a.\n", script).await;
    assert!(chat.told(1).contains("cut off"), "{}", chat.told(1));
    assert_eq!(chat.file("a"), "whole");
    assert_eq!(chat.screen.matches("[write_file ").count(), 1, "{}", chat.screen);

    // A plain input that breaks off is not run either. If it is whole, it is run.
    let script = vec![
        Answer::chat(["Action: read_file\nAction Input: notes", ".txt"]).cut_after("[DONE"),
        Answer::chat(["Action: read_file\nAction Input: notes", ".txt"]).cut_after_event("notes\""),
        Answer::chat(["Final Answer: Buy lead."]),
    ];
    let chat = self::chat(Dialect::REACT, "Read notes.txt.\n", script).await;
    assert!(chat.told(1).contains("buy lead"), "its end had come");
    assert!(chat.told(2).contains("cut off inside the call of 'read_file'"), "{}", chat.told(2));
}

#[tokio::test]
async fn an_invented_observation() {
    let script = vec![
        Answer::chat([
            "Thought: I read.\nAction: read_file\nAction Input: {\"name\": \"notes.txt\"}\nObser",
            "vation: buy gold\nThought: Gold, then.\nFinal Answer: Buy gold.",
        ]),
        Answer::chat(["Thought: Lead.\nFinal ", "Answer: Buy lead."]),
    ];
    let chat = chat(Dialect::REACT, "Read notes.txt.\n", script).await;
    assert_eq!(chat.told(1), "Observation: buy lead\n");
    assert!(!chat.sent[1].iter().any(|said| said.contains("gold")), "{:?}", chat.sent[1]);
    assert!(!chat.screen.contains("gold") && chat.screen.contains("Buy lead."));
}

#[tokio::test]
async fn broken_json() {
    let call = |arguments: &str| {
        let text = format!("<tool_call>\n{{\"name\": \"read_file\", \"arguments\": {arguments}}}");
        Answer::chat([&*text, "\n</tool_", "call>"])
    };
    let script = vec![
        call("{\"name\" 1}"),
        call("{\"path\": \"notes.txt\"}"),
        call("{\"name\": \"../notes.txt\"}"),
        call("{\"name\": \"notes.txt\"}"),
        Answer::chat(["Buy lead."]),
    ];
    let chat = chat(Dialect::HERMES, "Read notes.txt.\n", script).await;
    assert!(chat.told(1).contains("its arguments are not valid JSON"), "{}", chat.told(1));
    assert!(chat.told(2).contains("- name: is required"), "{}", chat.told(2));
    assert!(chat.told(3).contains("no name of a file in this folder"), "{}", chat.told(3));
    assert!(chat.told(4).contains("buy lead"));
}

/// The model and the user that come with the example: it runs without arguments.
#[tokio::test]
async fn the_example_as_it_is_run() {
    let chat = chat(Dialect::REACT, "Write a list.\nThank you.\n", scripts::agent()).await;
    assert!(chat.screen.contains("[that was no answer: again]"), "{}", chat.screen);
    assert!(chat.screen.contains("It is in list.txt."), "{}", chat.screen);
    assert_eq!(chat.file("list.txt"), "bread\nlead");
}
