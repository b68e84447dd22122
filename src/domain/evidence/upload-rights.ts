/**
 * Events whose runs execute code that somebody with write access put there. A `pull_request_target` or `issue_comment`
 * run holds a token of the same repository while it may be running a stranger's code.
 */
const UPLOADING_EVENTS = ['push', 'workflow_dispatch', 'schedule', 'release', 'merge_group'] as const;

/** Whether a CI run that this event started may upload evidence; a policy's `evidence_events` allows further ones. */
export const mayUpload = (event: string, evidenceEvents: readonly string[]): boolean =>
  (UPLOADING_EVENTS as readonly string[]).includes(event) || evidenceEvents.includes(event);
