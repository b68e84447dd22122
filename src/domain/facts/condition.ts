/** The stages of a release in their order, and the conditions that keep a release in a stage. */

export const STAGES = ['PLANNING', 'DEVELOPMENT', 'TESTING', 'EVIDENCING', 'DEPLOYMENT', 'DEPLOYED'] as const;
export type Stage = (typeof STAGES)[number];

/** The actors who can clear a condition. `service` is Shipgate itself, so no action is needed unless the condition persists. */
export const ACTORS = ['team', 'ci', 'reviewer', 'deployer', 'admin', 'service'] as const;
export type Actor = (typeof ACTORS)[number];

/** A requirement that is not met: a stable code for programs, a sentence for readers, and the actor who can meet it. */
export interface Condition {
  readonly code: string;
  readonly detail: string;
  readonly actor: Actor;
  readonly url?: string;
}

/** Builds the condition for a fact that was never read from GitHub. `why` is a separate sentence. */
export const missingFactCondition = (what: string, why?: string): Condition => ({
  code: 'unknown',
  detail: why === undefined ? `Not known yet: ${what}.` : `Not known yet: ${what}. ${why}`,
  actor: 'service',
});
