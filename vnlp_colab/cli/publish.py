"""`vnlp-colab publish`: put converted models where others fetch them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse


def register(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the parser of `publish`."""
    parser = subparsers.add_parser(
        "publish",
        help="put converted models where others fetch them",
        description="Upload a folder of converted models. Others then set VNLP_COLAB_MODEL_URL to its address.",
    )
    parser.add_argument("folder", metavar="DIR", help="folder that `vnlp-colab convert --output` wrote")
    parser.add_argument("url", metavar="URL", help="s3://bucket/path, file:///path, or any address fsspec can write to")
    parser.add_argument("--replace", action="store_true", help="take out the models the store has and DIR has not")
    parser.set_defaults(run=publish)


def publish(args: argparse.Namespace) -> int:
    """Upload, then say what was sent and how it is used."""
    from vnlp_colab.resources.publishing import publish_models

    done = publish_models(args.folder, args.url, replace=args.replace)
    print(f"published to {done.url}: {', '.join(done.models)}")
    print(
        f"{len(done.uploaded)} files sent ({done.size / 1e6:.1f} MB), {len(done.already_there)} were there already. "
        f"They are found with VNLP_COLAB_MODEL_URL={done.url} (or the http(s) address of the same place)."
    )
    return 0
