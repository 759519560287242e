"""What `VNLPipeline` is made of: chunks of rows, models asked batch by batch, documents, and runs over files."""
