"""A Spark job: read a table, add the analysis, write parquet.

spark-submit examples/spark_job.py INPUT OUTPUT [--text-column NAME] [--models pos,dep] [--partitions N]

Every executor needs the package; docs/scale.md shows how to send it along with --archives.
"""

from __future__ import annotations

import argparse

from pyspark.sql import SparkSession

from vnlp_colab.spark import analyze


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("input", help="parquet, or .csv/.tsv/.jsonl with a header; a file, a folder or an address")
    parser.add_argument("output", help="a folder for parquet")
    parser.add_argument("--text-column", help="by default sentence, text, cümle or metin")
    parser.add_argument("--models", default="pos,ner,dep,stemmer,sentiment")
    parser.add_argument("--partitions", type=int, help="cut the input into so many: some thousand rows each are enough")
    args = parser.parse_args()

    spark = SparkSession.builder.appName("vnlp-colab").getOrCreate()
    if args.input.endswith(".jsonl"):
        df = spark.read.json(args.input)
    elif args.input.endswith((".csv", ".tsv")):
        df = spark.read.csv(args.input, header=True, sep="\t" if args.input.endswith(".tsv") else ",")
    else:
        df = spark.read.parquet(args.input)
    if args.partitions:
        df = df.repartition(args.partitions)
    result = analyze(df, args.models.split(","), text_column=args.text_column)
    result.write.mode("errorifexists").parquet(args.output)
    print(f"{spark.read.parquet(args.output).count()} rows -> {args.output}")
    spark.stop()


if __name__ == "__main__":
    main()
