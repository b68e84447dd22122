import { type AppCredentials, readAppId, readPrivateKey } from '../../config/app-credentials.js';
import type { Sealer } from '../../crypto/sealer.js';

/** Binds the sealed text to its one purpose. */
const CONTEXT = 'app-credentials';

export const sealCredentials = (sealer: Sealer, credentials: AppCredentials): string =>
  sealer.seal(JSON.stringify(credentials), CONTEXT);

/** Throws a `SealError` where the text does not open. */
export function openCredentials(sealer: Sealer, sealed: string): AppCredentials {
  const kept = JSON.parse(sealer.open(sealed, CONTEXT)) as AppCredentials;
  const { slug, clientId, clientSecret, webhookSecret } = kept;
  return {
    appId: readAppId(kept.appId),
    slug,
    clientId,
    clientSecret,
    privateKey: readPrivateKey(kept.privateKey),
    webhookSecret,
  };
}
