//! `limit_by`: a JavaScript function that is asked for each call.
//!
//! JavaScript functions that a parser calls. The parser may cross threads, but no JavaScript value can: so the
//! functions stand in a table of the thread, and the parser has a number.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;

use toolstream::calls::{CallLimit, NextCall};
use wasm_bindgen::prelude::*;

#[wasm_bindgen]
extern "C" {
    /// A function that takes a call's number in the message, its name, and the name of the call before it.
    #[derive(Clone)]
    #[wasm_bindgen(js_name = Function)]
    pub type Ask;

    #[wasm_bindgen(method, catch)]
    fn call(
        this: &Ask,
        of: &JsValue,
        index: u32,
        name: &str,
        previous: Option<String>,
    ) -> Result<JsValue, JsValue>;
}

thread_local! {
    static FUNCTIONS: RefCell<HashMap<u32, Ask>> = RefCell::default();
    static NEXT: Cell<u32> = const { Cell::new(0) };
}

/// The number of a function, which is forgotten with the last parser that asks it.
struct Asked(u32);

impl Asked {
    fn new(ask: Ask) -> Asked {
        FUNCTIONS.with_borrow_mut(|functions| {
            let mut number = NEXT.get();
            while functions.contains_key(&number) {
                number = number.wrapping_add(1);
            }
            NEXT.set(number.wrapping_add(1));
            functions.insert(number, ask);
            Asked(number)
        })
    }
}

impl Drop for Asked {
    fn drop(&mut self) {
        FUNCTIONS.with_borrow_mut(|functions| functions.remove(&self.0));
    }
}

/// Returns the function that a parser calls before a call opens. Where JavaScript's fails, the call is stopped, so
/// that nothing runs unasked.
pub fn limit(ask: Ask) -> impl Fn(NextCall<'_>) -> CallLimit + Send + Sync + 'static {
    let asked = Asked::new(ask);
    move |call| {
        // All of it is captured, so that it is dropped with the function.
        let Asked(number) = &asked;
        // The function may make another parser: the table is not held while it runs.
        let ask = FUNCTIONS.with_borrow(|functions| functions.get(number).cloned());
        let index = u32::try_from(call.index).unwrap_or(u32::MAX);
        let previous = call.previous.map(String::from);
        let may = ask.map(|ask| ask.call(&JsValue::UNDEFINED, index, call.name, previous));
        match may {
            Some(Ok(may)) if may.is_truthy() => CallLimit::Allow,
            _ => CallLimit::Stop,
        }
    }
}
