import io
import json
import os
import subprocess
import sys

import pytest

from vnlp_colab.cli import main


@pytest.fixture
def run(monkeypatch, capfdbinary):
    def run_command(*args, stdin=b""):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        code = main(list(args))
        sys.stdout.flush()
        out, err = capfdbinary.readouterr()
        return code, out.decode(), err.decode()

    return run_command


def test_normalize_deasciify(run):
    code, out, _ = run("normalize", "--deasciify", stdin=b"boyle sey gormedim\n\nson")
    assert (code, out) == (0, "böyle şey görmedim\n\nson\n")


def test_normalize_steps_combine(run):
    _, out, _ = run("normalize", "--lower-case", "--remove-punctuations", stdin="\ufeffIŞIK, İzmir!\r\n".encode())
    assert out == "ışık izmir\n"


def test_normalize_informal(run):
    assert run("normalize", "--informal", "auto,chat", stdin=b"slm, yarin gelicem\n")[1] == "selam, yarın geleceğim\n"
    code, _, err = run("normalize", "--informal", "spelling", stdin=b"a\n")
    assert code == 1
    assert "unknown step 'spelling'" in err


def test_normalize_without_a_step_says_what_to_do(run, capfdbinary):
    with pytest.raises(SystemExit) as ended:
        run("normalize")
    assert ended.value.code == 2
    assert b"--deasciify" in capfdbinary.readouterr().err


def test_split_files(run, tmp_path):
    source, target = tmp_path / "in.txt", tmp_path / "out.txt"
    source.write_text("Dr. Ali geldi. Sonra gitti.\n", encoding="utf-8")
    assert run("split", str(source), "-o", str(target))[0] == 0
    assert target.read_text("utf-8") == "Dr. Ali geldi.\nSonra gitti.\n"


def test_offsets_are_json(run):
    _, out, _ = run("split", "--offsets", stdin=b"Geldi. Gitti.")
    assert json.loads(out.splitlines()[1]) == {"sentence": "Gitti.", "start": 7, "end": 13}
    _, out, _ = run("tokenize", "--offsets", stdin=b"Geldi.")
    assert json.loads(out) == [["Geldi", 0, 5], [".", 5, 6]]


def test_tokenizers_by_name(run):
    assert run("tokenize", stdin="Ankara’da 12. kat!\n".encode())[1] == "Ankara’da 12. kat !\n"
    assert (
        run("tokenize", "--tokenizer", "treebank", stdin="Ankara’da 12. kat!\n".encode())[1] == "Ankara'da 12 . kat !\n"
    )
    assert run("tokenize", "--tokenizer", "wordpunct", stdin=b"a'b\n")[1] == "a ' b\n"


def test_bad_bytes_are_told_with_their_line(run):
    code, out, err = run("tokenize", stdin=b"iyi\nk\xf6t\xfc\n")
    assert (code, out) == (1, "iyi\n")
    assert "line 2" in err
    assert err.count("\n") == 1


def test_missing_file_is_one_line(run):
    code, _, err = run("split", "yok.txt")
    assert code == 1
    assert "yok.txt" in err


def test_reader_that_stops_early_gets_no_traceback():
    command = [sys.executable, "-c", "import sys; from vnlp_colab.cli import main; sys.exit(main())", "tokenize"]
    process = subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    process.stdout.close()
    _, err = process.communicate("Merhaba dünya.\n".encode() * 50_000)
    assert b"Traceback" not in err
    assert b"Exception ignored" not in err


@pytest.mark.parametrize("command", [["tokenize"], ["split"], ["normalize", "--lower-case"]], ids=" ".join)
def test_the_input_is_not_overwritten(command, run, tmp_path):
    file, link = tmp_path / "a.txt", tmp_path / "b.txt"
    file.write_text("Ali geldi.", encoding="utf-8")
    link.symlink_to(file)
    for output in (file, link):
        code, _, err = run(*command, str(file), "-o", str(output))
        assert (code, err) == (1, f"vnlp-colab: {output}: the output would overwrite the input\n")
    assert file.read_text(encoding="utf-8") == "Ali geldi."
