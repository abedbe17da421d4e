"""A private tus server: tuspyserver under uvicorn, below /files.

Usage: tus-server.py SETTINGS.json
Everything it reads and writes lies in the directory that the settings name. It ends when it is killed; uploads stay.
"""
import json
import sys

import uvicorn
from fastapi import FastAPI, Header, HTTPException
from tuspyserver import create_tus_router

with open(sys.argv[1]) as file:
    settings = json.load(file)


def authorize(authorization: str = Header(None)):
    token = settings.get("token")
    if token and authorization != f"Bearer {token}":
        raise HTTPException(status_code=401, detail=f"not {authorization}")


app = FastAPI()
app.include_router(
    create_tus_router(
        prefix="files", files_dir=settings["files"], max_size=settings["size_maximum"], auth=authorize
    )
)
# Clients keep connections for longer than uvicorn's usual 5 s.
uvicorn.run(app, host="127.0.0.1", port=settings["port"], log_level="info", timeout_keep_alive=120)
