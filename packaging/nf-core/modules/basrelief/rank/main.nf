// Untested: no Nextflow was available where this module was written.
process BASRELIEF_RANK {
    tag "${meta.id}"
    label 'process_medium'

    conda "${moduleDir}/environment.yml"
    container "${workflow.containerEngine in ['singularity', 'apptainer'] && !task.ext.singularity_pull_docker_container
        ? 'https://depot.galaxyproject.org/singularity/basrelief-cli:0.1.0--0'
        : 'quay.io/biocontainers/basrelief-cli:0.1.0--0'}"

    input:
    tuple val(meta), path(data), path(pheno)
    val target

    output:
    tuple val(meta), path("*.ranking.csv"), emit: ranking
    tuple val(meta), path("*.report.html"), emit: report
    tuple val("${task.process}"), val('basrelief'), eval("basrelief --version | sed 's/^basrelief //'"), emit: versions_basrelief, topic: versions

    when:
    task.ext.when == null || task.ext.when

    script:
    def args = task.ext.args ?: ''
    def prefix = task.ext.prefix ?: "${meta.id}"
    // A cohort has several files; the program is given the first and finds the others by their names.
    def main_file = data instanceof Path ? data : data[0]
    def pheno_option = pheno ? "--pheno ${pheno}" : ''
    def target_option = target ? "--target ${target}" : ''
    def memory_option = task.memory ? "--memory ${task.memory.toMega()}M" : ''
    """
    basrelief rank ${main_file} \\
        ${target_option} \\
        ${pheno_option} \\
        ${args} \\
        --threads ${task.cpus} \\
        ${memory_option} \\
        --output ${prefix}.ranking.csv \\
        --report ${prefix}.report.html
    """

    stub:
    def prefix = task.ext.prefix ?: "${meta.id}"
    """
    touch ${prefix}.ranking.csv
    touch ${prefix}.report.html
    """
}
