const HOUR_MS = 3_600_000;

/** How long a session lasts that nobody uses. */
export const IDLE_LIFE_MS = 12 * HOUR_MS;

/** How long a session lasts that is in use all the time. */
export const ABSOLUTE_LIFE_MS = 7 * 24 * HOUR_MS;

/** How long the code host's word lasts that a person belongs to an organization, and what they may read there. */
export const MEMBERSHIP_LIFE_MS = 15 * 60_000;
