"""Data sets of any size: read, graded in runs that can go on, compared.

Parts: ``data_sets/`` reads rows from files, frames and exports of other systems; ``run_directory``
keeps what is finished; the engines (this machine, a provider's batch API, Ray) grade the rest.
"""
