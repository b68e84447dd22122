/** Why the screen can no longer be used. The frame shows it. */
export const SESSION_PROBLEM = ['session', 'problem'] as const;

export type SessionProblem = 'ended' | 'other_workspace';
