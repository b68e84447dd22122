/** Why the screen can no longer be used. The frame shows it. */
export const SESSION_PROBLEM = ['session', 'problem'] as const;

/** `no_access`: the user was removed from the workspace, or left its organization. */
export type SessionProblem = 'ended' | 'other_workspace' | 'no_access';
