/** From when work on a release began to its deployment, in whole seconds; never below zero, as clocks may differ. */
export const leadTimeSeconds = (startedAt: Date, deployedAt: Date): number =>
  Math.max(0, Math.round((deployedAt.getTime() - startedAt.getTime()) / 1000));
