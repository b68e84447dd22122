/** Why the screen can no longer be used. The frame shows it. */
export const SESSION_PROBLEM = ['session', 'problem'] as const;

/**
 * `no_access`: the user was removed from the workspace, or left its organization. `other_user`: another user has signed in since the session
 * of this page ended.
 */
export type SessionProblem = 'ended' | 'other_user' | 'other_workspace' | 'no_access';
