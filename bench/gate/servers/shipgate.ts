/** The service as one server of the comparison. It accepts the identity tokens of the measurement's own issuer. */
import { serveShipgate } from '../../measuring/shipgate.js';

const { OIDC_ISSUER = 'https://token.actions.githubusercontent.com' } = process.env;
await serveShipgate({ OIDC_ISSUER });
