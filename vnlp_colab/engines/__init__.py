"""What the engines for many machines share: the work of one worker, inputs by address, a folder of finished parts."""
