"""Compares recorded answers with what `portcullis` says, and names the class of every deviation.

The requests of a world become a file for `portcullis config test`, so that one process answers hundreds of them; `portcullis explain` is run
only for those that deviate. The objects have the ages that the API server gave them.
"""

import argparse
import collections
import csv
import gzip
import json
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import classes
import traefik_classes

# How many worlds a process reads.
WORLDS_OF_PROCESS = 25
SHOWN = 3
# What names the class of a deviation of each controller.
CLASS_OF = {"Contour": classes.of, "Traefik": traefik_classes.of}


def url(request):
    # Envoy listens 8,000 above the ports of the Gateway.
    port = f":{request['port'] - 8000}" if "port" in request else ""
    return f"{request['scheme']}://{request['host'].split(':')[0]}{port}{request['path']}"


def headers(request):
    """The headers, with the Host if the URL does not say it."""
    host = {"host": request["host"]} if ":" in request["host"] else {}
    return {**host, **request.get("headers", {})}


def scope(world):
    """Which data planes are asked. With a Gateway, a controller has several, so that all are asked and no world has objects of another one."""
    return {} if world.get("gateway") else {"class": world["class"]}


def expectation(request):
    """What `portcullis config test` must find."""
    if "service" in request:
        return {"service": request["service"], "path": request["sent"].split("?")[0]}
    if "location" in request:
        return {"code": request["status"], "location": request["location"]}
    return {"code": request["status"]}


def is_right(request, messages):
    """Whether what the program says about a case that failed is the same answer all the same."""
    # For an Ingress, and for a host that no object has, no status code is specified; Envoy and Traefik answer 404.
    said = r"expected the proxy to answer 404, but no rule answers(: (404 from |[A-Z]).*)?"
    return request["status"] == 404 and len(messages) == 1 and re.fullmatch(said, messages[0])


def is_share(request, answer):
    """Whether the proxy has sent the request to a backend that cannot answer, which the program lists with its share of the requests."""
    backends = answer["outcome"].get("backends", [])
    return request["status"] == 500 and any(one["share"] and not one["answers"] for one in backends)


def write(folder, world):
    """Writes the objects and the requests of a world."""
    folder.mkdir(parents=True)
    (folder / "objects.yaml").write_text("\n---\n".join(json.dumps(one) for one in world["objects"]), encoding="utf-8")
    cases = [
        {"name": str(index), "request": f"{request['method']} {url(request)}", "headers": headers(request), "expect": expectation(request), **scope(world)}
        for index, request in enumerate(world["requests"])
    ]
    suite = {"apiVersion": "test.portcullis.dev/v1alpha1", "kind": "PortcullisTest", "cluster": ["objects.yaml"], "complete": True, "requests": cases}
    file = folder / "requests.yaml"
    file.write_text(json.dumps(suite), encoding="utf-8")
    return file


def failures(program, files):
    """The cases that fail in each file: the messages by name."""
    done = subprocess.run([program, "config", "test", *files], capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1) or not re.search(r"^\d+ passed, \d+ failed$", done.stdout, re.M):
        raise RuntimeError(f"config test: {done.returncode} {done.stderr[-2000:]}")
    found, file, messages = collections.defaultdict(dict), None, None
    for line in done.stdout.splitlines():
        if line and not line.startswith(" "):
            file = line
        elif line.startswith("  FAIL  "):
            messages = found[file][int(line[8:])] = []
        elif line.startswith("        ") and messages is not None:
            messages.append(line[8:])
        else:
            messages = None
    return found


def explain(program, folder, world, request):
    """The answer of `portcullis explain`."""
    given = [part for name, value in headers(request).items() for part in ("--header", f"{name}={value}")]
    given += [part for name, value in scope(world).items() for part in (f"--{name}", value)]
    command = [program, "explain", "--output", "json", "--complete", "--objects", folder / "objects.yaml", *given, request["method"], url(request)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    try:
        return json.loads(done.stdout)
    except ValueError:
        return {"outcome": {"kind": "error", "reason": done.stderr.strip()}}


def said(answer):
    """The answer of the program as text."""
    outcome = answer["outcome"]
    winner = answer.get("winner") or {}
    rule = f" ({winner['object']} {winner['field']})" if winner else ""
    match outcome["kind"]:
        case "backends":
            backends = (f"{one['namespace']}/{one['service']}:{one['port']} {one['share']:.2f}{'' if one['answers'] else ' missing'}" for one in outcome["backends"])
            return f"{', '.join(backends)} gets {outcome['request']['path']}{rule}"
        case "redirect":
            return f"{outcome['code']} {outcome['location']}{rule}"
        case "none":
            reached = (f"{one.get('code')} {one['object']} {one['reason']}" for one in outcome.get("reached", []))
            return f"nothing: {'; '.join(reached)}{rule}"
        case kind:
            return f"{kind} {outcome.get('code', '')} {outcome.get('reason', '')}{rule}"


def recorded(request):
    """The answer of the proxy as text."""
    if "service" in request:
        return f"{request['service']} gets {request['sent']}"
    return f"{request['status']} {request.get('location', '')}".strip()


def shown(deviation):
    """A deviation as text, with the objects that have rules."""
    world, request, answer, _ = deviation
    given = " ".join(f"{name}: {value};" for name, value in headers(request).items())
    lines = [f"world {world['name']}: {request['method']} {url(request)} {given}".rstrip()]
    lines += [f"  recorded:   {recorded(request)}", f"  portcullis: {said(answer)}"]
    for one in world["objects"]:
        metadata = one["metadata"]
        if one["kind"] in ("Ingress", "HTTPProxy", "HTTPRoute") or one["kind"] == "ReferenceGrant" and world["name"].endswith(metadata["name"].split("-")[0]):
            notes = metadata.get("annotations", "")
            complaints = world.get("complaints", {}).get(f"{one['kind']}/{metadata['namespace']}/{metadata['name']}", [])
            lines.append(f"  {one['kind']} {metadata['namespace']}/{metadata['name']} {metadata['creationTimestamp']} {', '.join(complaints)} {notes} {json.dumps(one['spec'])}")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--portcullis", required=True)
    for name in ("recording", "folder", "expected"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    parser.add_argument("--full", action="store_true", help="name the listed classes that did not occur")
    given = parser.parse_args()
    recording = json.loads(gzip.decompress(given.recording.read_bytes()))
    class_of = CLASS_OF[recording["controller"]]
    with open(given.expected, encoding="utf-8") as file:
        rows = [row for row in csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE) if row and not row[0].startswith("#")]
    listed = {name: cause for name, cause, _ in rows}

    files = {str(write(given.folder / world["name"], world)): world for world in recording["worlds"]}
    names = list(files)
    chunks = [names[start:start + WORLDS_OF_PROCESS] for start in range(0, len(names), WORLDS_OF_PROCESS)]
    with ThreadPoolExecutor(2) as pool:
        found = {}
        for part in pool.map(lambda chunk: failures(given.portcullis, chunk), chunks):
            found.update(part)
        todo = []
        for file, cases in found.items():
            world = files[file]
            todo += [(world, world["requests"][index]) for index, messages in cases.items() if not is_right(world["requests"][index], messages)]
        answers = pool.map(lambda one: explain(given.portcullis, given.folder / one[0]["name"], *one), todo)
        found = ((*one, answer) for one, answer in zip(todo, answers))
        deviations = [(*one, class_of(*one)) for one in found if not is_share(*one[1:])]

    by_class = collections.defaultdict(list)
    for deviation in deviations:
        by_class[deviation[3]].append(deviation)
    with open(given.folder / "deviations.txt", "w", encoding="utf-8") as out:
        for name, those in sorted(by_class.items()):
            out.write(f"# {name}: {len(those)}\n" + "\n".join(shown(one) for one in those) + "\n\n")
    total = sum(len(world["requests"]) for world in recording["worlds"])
    by_cause = collections.Counter(listed.get(name, "not listed") for name in by_class for _ in by_class[name])
    print(f"{total} requests to {len(files)} worlds: {total - len(deviations)} answers are the same ({100 * (1 - len(deviations) / total):.2f} %)")
    for cause, count in by_cause.most_common():
        print(f"{count:6} {cause}")
    for name, those in sorted(by_class.items(), key=lambda one: -len(one[1])):
        print(f"{len(those):6} {name} ({listed.get(name, 'not listed')}), in {len({one[0]['name'] for one in those})} worlds")
    if given.full:
        for name in listed:
            if name not in by_class:
                print(f"{name} is listed, but did not occur")
    other = [name for name in by_class if name not in listed]
    for name in other:
        print(f"\nnot listed: {name}")
        print("\n".join(shown(one) for one in by_class[name][:SHOWN]))
    print(f"\nall deviations are in {given.folder / 'deviations.txt'}")
    sys.exit(1 if other else 0)


if __name__ == "__main__":
    main()
