"""Whoever can reach the driver's ports on this machine can do nothing there.

Every local user can connect to a port of the loopback, and to an abstract socket. The attacks are made by
another user where these tests are root's, and else by the same one, who has no certificate and no key either.
"""

import asyncio
import json
import os
import ssl
import stat
import subprocess
import sys

import dask
import psutil
import pytest
from distributed import LocalCluster, Security
from jupyter_client import BlockingKernelClient

from reproduce.execution import kernel_manager, pool

NOBODY = 65534
# Asks each port for what all of dask's servers answer, and for pages, and prints what it got. Its certificate
# is as good as the driver's, but of another maker; the driver's it takes without a look.
ATTACK = """
import asyncio, http.client, json, os, ssl, urllib.request
from distributed import Security
from distributed.core import rpc

own = Security.temporary()
args = own.get_connection_args("client")
args["ssl_context"].verify_mode = ssl.CERT_NONE
if os.getuid() == 0:
    os.setgroups([])
    os.setgid(NOBODY)
    os.setuid(NOBODY)

async def ask(scheme, port):
    try:
        given = args if scheme == "tls" else {}
        async with rpc(f"{scheme}://127.0.0.1:{port}", timeout=3, connection_args=given) as server:
            answer = await asyncio.wait_for(server.identity(), 3)
        return [scheme, port, answer["type"]]
    except Exception:  # of dask's there are several; whichever it is, there was no answer
        return None

def page(port, path):
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=1) as answer:
            return ["http", port, path]
    except (OSError, http.client.HTTPException):
        return None

async def main():
    PAGES = ["/health", "/metrics", "/json/identity.json"]
    asked = [ask(scheme, port) for scheme in ("tcp", "tls") for port in PORTS]
    asked += [asyncio.to_thread(page, port, path) for path in PAGES for port in PORTS]
    return [answer for answer in await asyncio.gather(*asked) if answer]

print(json.dumps([os.getuid(), asyncio.run(main())]))
"""


def answers(ports):
    """What ports answer to who has no business there."""
    code = ATTACK.replace("NOBODY", str(NOBODY)).replace("PORTS", str(ports))
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    uid, got = json.loads(done.stdout)
    assert uid == (NOBODY if os.getuid() == 0 else os.getuid())
    return got


def listening(before=()):
    """Ports on which this process and those that it started listen; new ones are for this machine only."""
    me = psutil.Process()
    connections = [c for each in (me, *me.children(recursive=True)) for c in each.net_connections("tcp")]
    listens = {c.laddr for c in connections if c.status == "LISTEN" and c.laddr.port not in before}
    assert not before or all(each.ip == "127.0.0.1" for each in listens)  # other tests have their own
    return {each.port for each in listens}


@pytest.mark.slow
def test_the_workers_answer_nobody_else(tmp_path):
    before = listening() | {0}
    with pool.opened(pool.Engine(tmp_path), 1) as workers:
        ports = sorted(listening(before))
        assert len(ports) >= 3  # a scheduler, a worker, and who starts it again
        assert workers.client.submit(os.getuid).result(timeout=60) == os.getuid()
        assert answers(ports) == []


@pytest.mark.slow
def test_the_attack_would_be_seen():
    before = listening() | {0}
    open_to_all = {"processes": False, "host": "127.0.0.1", "dashboard_address": "127.0.0.1:0"}
    for scheme, more in {"tcp": {}, "tls": {"security": lax()}}.items():
        with (
            dask.config.set({"distributed.scheduler.http.routes": ["distributed.http.health"]}),
            LocalCluster(n_workers=1, protocol=f"{scheme}://", **open_to_all, **more),
        ):
            got = answers(sorted(listening(before)))
        assert {kind for name, _, kind in got if name == scheme} == {"Scheduler", "Worker"}
        assert any(name == "http" for name, _, _ in got)


def lax():
    """Certificates of a server that asks its clients for none."""

    class Lax(Security):
        def get_listen_args(self, role):
            args = super().get_listen_args(role)
            args["ssl_context"].verify_mode = ssl.CERT_NONE
            return args

    return Lax.temporary()


def test_a_kernel_does_only_what_is_signed_with_its_key(tmp_path):
    """Its sockets, abstract on Linux and TCP elsewhere, have no owner; the file with the key has."""
    environment = kernel_manager.environment(tmp_path, {})
    manager = kernel_manager.of_this_interpreter(tmp_path, environment, [])()

    def send(key, name):
        client = BlockingKernelClient()
        client.load_connection_info(about | {"key": key})
        client.start_channels(stdin=False, hb=False, control=False)
        client.execute(f"open({str(tmp_path / name)!r}, 'w').close()")
        return client

    asyncio.run(manager.start_kernel())
    try:
        file = tmp_path / "kernel.json"
        about = json.loads(file.read_text())
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
        assert about["signature_scheme"] == "hmac-sha256" and len(about["key"]) >= 32
        clients = [send("0" * 64, "unsigned"), send(about["key"], "signed")]
        clients[1].get_shell_msg(timeout=60)
        for client in clients:
            client.stop_channels()
        assert (tmp_path / "signed").exists() and not (tmp_path / "unsigned").exists()
    finally:
        asyncio.run(manager.shutdown_kernel(now=True))
