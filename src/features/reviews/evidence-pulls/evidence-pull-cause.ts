/** Why a release is judged where its evidence pull request was written, or is about to be. */
export const CAUSE = { cause: 'evidence pull request', actor: 'service' };

/** Said by who writes the pull request: no job has to be asked for that. */
export const WRITING = { ...CAUSE, writesPull: true };
