import { createPrivateKey } from 'node:crypto';

/** The credentials of the GitHub App. */
export interface AppCredentials {
  /** The id of the app, in digits. */
  readonly appId: string;
  readonly slug: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** PEM, PKCS #1 or PKCS #8. */
  readonly privateKey: string;
  readonly webhookSecret: string;
}

export function readAppId(text: string): string {
  if (!/^[1-9]\d{0,14}$/.test(text)) throw new Error('must be a number');
  return text;
}

/**
 * Parses an RSA key in PEM. `
 * ` may replace its line breaks, for environments with single-line values.
 */
export function readPrivateKey(text: string): string {
  const pem = `${text.replaceAll('\\n', '\n').trim()}\n`;
  if (!isRsaKey(pem)) throw new Error('must be an RSA private key in PEM');
  return pem;
}

function isRsaKey(pem: string): boolean {
  try {
    return createPrivateKey(pem).asymmetricKeyType === 'rsa';
  } catch {
    return false;
  }
}

/**
 * The current credentials of the app. The set-up may add them while the service runs, so they are read at each use and
 * never cached.
 */
export abstract class AppCredentialsProvider {
  /** Null until the app is set up. */
  abstract current(): AppCredentials | null;

  /** Reads the stored credentials, which another process may just have added. Returns the current credentials; null if there are none. */
  abstract load(): Promise<AppCredentials | null>;
}
