declare const SHIPGATE_VERSION: string | undefined;

/** The version of the bundle. The build writes it; unbundled code has none. */
export const CLIENT_VERSION = typeof SHIPGATE_VERSION === 'string' ? SHIPGATE_VERSION : '0.0.0';
