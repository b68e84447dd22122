/** The queries that change with a freeze: it closes and opens gates. */
export const FREEZE_CHANGES = [['freezes'], ['releases'], ['release']] as const;
