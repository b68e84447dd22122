import { createPrivateKey } from 'node:crypto';

/** What the GitHub App proves itself with. */
export interface AppCredentials {
  /** Digits. */
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

/** An RSA key in PEM; `\n` may stand for its line breaks, as in environments that hold a single line. */
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
 * The app's credentials as of now. The set-up may give them while the service runs, so they are asked for at each use
 * and never kept.
 */
export abstract class AppCredentialsProvider {
  /** Null until the app is set up. */
  abstract current(): AppCredentials | null;
}
