//! `bind MODULE.wasm FOLDER`: the part of the command `wasm-bindgen` that we need. The command itself brings an
//! HTTP client and TLS along.

fn main() {
    let mut arguments = std::env::args().skip(1);
    let (Some(module), Some(folder)) = (arguments.next(), arguments.next()) else {
        eprintln!("bind: name the module and the folder to write to");
        std::process::exit(2);
    };
    let mut bindgen = wasm_bindgen_cli_support::Bindgen::new();
    bindgen.input_path(module).out_name("wasm").typescript(false);
    // Names of functions are a quarter of the bytes, and nobody needs them.
    bindgen.remove_name_section(true).remove_producers_section(true);
    // The entries find the module, each in its own way.
    bindgen.omit_default_module_path(true);
    let done = bindgen.web(true).and_then(|bindgen| bindgen.generate(folder));
    if let Err(error) = done {
        eprintln!("bind: {error:#}");
        std::process::exit(1);
    }
}
