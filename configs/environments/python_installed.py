# A repository is not installed. Where its packages are in a folder of their own, as in the src layout, what would be
# installed is found by a line in a .pth file, as an editable installation has it: after the standard library, whose modules
# nothing of such a folder can hide, and by the processes that tests start, too, wherever these are started. And what an
# installation would tell of it is there: its name, its version, by which programs call themselves, and its entry points, those
# of the console as programs; and the module that a build writes its version to. The base commit's files say all of that; they
# are read, and nothing of them is run.
import ast, configparser, glob, os, re, site, sys
built, told = {}, {"src": False}  # text by file; by folder: named by what says how the repository is built, or usual
for name in "pyproject.toml", "setup.cfg", "setup.py":
    if os.path.isfile(name):
        with open(name, encoding="utf-8", errors="replace") as f:
            text = built[name] = f.read()
        told["src"] = True
        for key in r"package[-_]dir", r"\bwhere", r"\bfind_(?:namespace_)?packages":
            told.update((n, True) for n in re.findall(key + r"\]?\s*[=(:\n]\W*?([\w.-][\w./-]*)", text))
def holds(folder):
    if os.path.isabs(folder) or not {".", ".."}.isdisjoint(folder.split("/")) or os.path.exists(folder + "/__init__.py"):
        return False
    inside = os.listdir(folder) if os.path.isdir(folder) else []
    return any(n.endswith(".py") or n.isidentifier() and os.path.isdir(folder + "/" + n) for n in inside)
found = sorted(n for n in told if told[n] and holds(n))
to, programs = site.getusersitepackages(), site.getuserbase() + "/bin"

def of_toml(text):
    try:
        import tomllib
    except ImportError:  # Python before 3.11
        from pip._vendor import tomli as tomllib
    data = tomllib.loads(text)
    poetry = data.get("tool", {}).get("poetry", {})
    for table, groups in (data.get("project", {}), "entry-points"), (poetry, "plugins"):
        yield table.get("name"), table.get("version"), {"console_scripts": table.get("scripts"), "gui_scripts": table.get("gui-scripts"), **table.get(groups, {})}
def of_cfg(text):
    data = configparser.RawConfigParser(strict=False)
    data.read_string(text)
    get = lambda part, key: data.get(part, key, fallback="").strip()
    points = {key: get("options.entry_points", key).splitlines() for key in (data.options("options.entry_points") if data.has_section("options.entry_points") else [])}
    yield get("metadata", "name"), get("metadata", "version"), points
def of_setup(text):
    for call in ast.walk(ast.parse(text)):
        if isinstance(call, ast.Call) and getattr(call.func, "id", getattr(call.func, "attr", "")) == "setup":
            value = {}
            for word in call.keywords:
                try:
                    value[word.arg] = ast.literal_eval(word.value)
                except ValueError:
                    pass  # it is computed
            yield value.get("name"), value.get("version"), value.get("entry_points")
project, version, points = "", "", {}
for name, read in ("pyproject.toml", of_toml), ("setup.cfg", of_cfg), ("setup.py", of_setup):
    try:
        for its, number, groups in read(built.get(name, "")):
            project = project or (its if isinstance(its, str) and re.fullmatch(r"[A-Za-z0-9][\w.-]{0,99}", its) else "")
            version = version or (number if isinstance(number, str) and re.fullmatch(r"[0-9][\w.+!-]{0,99}", number) else "")
            points = points or {k: v for k, v in (groups if isinstance(groups, dict) else {}).items() if v}
    except Exception as e:  # it is anybody's text
        print(name, e)
if project and not version:  # a build would compute it
    for file in sorted(glob.glob("*/__init__.py") + glob.glob("*/*/__init__.py") + glob.glob("*.py")):
        with open(file, encoding="utf-8", errors="replace") as f:
            number = re.search(r"(?m)^__version__(?:\s*:\s*\w+)?\s*=\s*['\"]([0-9][\w.+!-]{0,99})['\"]", f.read(1 << 20))
        if number:
            version = number[1]
            break
if project:
    info = "%s/%s-%s.dist-info" % (to, re.sub(r"[-_.]+", "_", project), version or "0")
    os.makedirs(info, exist_ok=True)
    with open(info + "/METADATA", "w") as f:
        f.write("Metadata-Version: 2.1\nName: %s\nVersion: %s\n" % (project, version or "0"))
    with open(info + "/entry_points.txt", "w") as f:
        for group, lines in points.items():
            if isinstance(lines, dict):
                lines = ["%s = %s" % (k, v) for k, v in lines.items() if isinstance(v, str)]
            lines = lines.splitlines() if isinstance(lines, str) else lines if isinstance(lines, list) else []
            lines = [l.strip() for l in lines if isinstance(l, str) and re.fullmatch(r"\s*[^\s=\[][^=\n]*=\s*[\w.:]+\s*(?:\[[^\n]*\])?\s*", l)]
            if lines and isinstance(group, str) and re.fullmatch(r"\w+(?:[.-]\w+)*", group):
                f.write("[%s]\n%s\n" % (group, "\n".join(lines)))
            for point in lines if group in ("console_scripts", "gui_scripts") else ():
                point = re.match(r"(\w[\w.-]*)\s*=\s*([\w.]+):((\w+)[\w.]*)", point)
                if point:
                    os.makedirs(programs, exist_ok=True)
                    with open(programs + "/" + point[1], "w", opener=lambda name, flags: os.open(name, flags, 0o755)) as program:
                        program.write("#!%s\nimport sys\nfrom %s import %s\nif __name__ == '__main__':\n    sys.exit(%s())\n" % (sys.executable, point[2], point[4], point[3]))
if not found and (project or "setup.py" in built):  # its packages are at the root
    found = ["."]
made = {}  # modules that a build would write, by which a repository knows its version
for file in set(re.findall(r"""(?:write_to|version[-_]file)['"]?\s*[=:]\s*['"]?([\w./-]+)\.py\b""", "\n".join(built.values()))):
    folder = next((n for n in found if file.startswith(n + "/")), "")
    module = os.path.relpath(file, folder or ".").split("/")
    if os.path.isdir(os.path.dirname(file) or ".") and not os.path.exists(file + ".py") and all(n.isidentifier() for n in module):
        made[".".join(module)] = "%s/evlab_made_%d.py" % (to, len(made))
if found:
    os.makedirs(to, exist_ok=True)
    with open(to + "/evlab.pth", "w") as f:
        f.write("\n".join(os.path.abspath(n) for n in found) + "\n" + ("import evlab_made\n" if made else ""))
number = version or "0"
for file in made.values():
    with open(file, "w") as f:
        f.write("__version__ = version = %r\n__version_tuple__ = version_tuple = %r\n" % (number, tuple(map(int, re.findall(r"\d+", number)))))
if made:  # found where the tree has none
    with open(to + "/evlab_made.py", "w") as f:
        f.write("""import sys
class Made:
    @staticmethod
    def find_spec(name, path=None, target=None):
        if name in FILES:
            from importlib.util import spec_from_file_location
            return spec_from_file_location(name, FILES[name])
FILES = %r
sys.meta_path.append(Made)
""" % made)
