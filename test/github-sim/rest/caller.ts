import { createPublicKey, createVerify } from 'node:crypto';
import type { App } from '../state/app.js';
import type { Credential } from '../state/tokens.js';
import type { SimulatedGitHubState } from '../state/simulated-github-state.js';
import { ApiError, badCredentials } from './api-error.js';

/** The caller of a request: an app with its own token, the owner of a token, or an anonymous caller. */
export type Caller = Credential | { readonly kind: 'app'; readonly app: App } | { readonly kind: 'anonymous' };

const LONGEST_LIFE_S = 600;
const CLOCK_DRIFT_S = 60;

/**
 * Reads the `Authorization` header. An unknown, expired or malformed credential is rejected and never treated as
 * anonymous.
 */
export function identifyCaller(state: SimulatedGitHubState, authorization: string | undefined): Caller {
  if (authorization === undefined) return { kind: 'anonymous' };
  const token = /^(?:bearer|token) (\S+)$/i.exec(authorization)?.[1];
  if (token === undefined) throw badCredentials();
  if (token.split('.').length === 3) return { kind: 'app', app: verifyAppToken(state, token) };
  const credential = state.tokens.find(token);
  if (!credential) throw badCredentials();
  if (credential.kind === 'installation' && credential.installation.suspendedAt) {
    throw new ApiError(403, 'This installation has been suspended');
  }
  return credential;
}

/**
 * GitHub's rules for an app's own token: RS256, issued by the app, not from the future, valid for at most ten minutes.
 */
function verifyAppToken(state: SimulatedGitHubState, token: string): App {
  const [header = '', payload = '', signature = ''] = token.split('.');
  const [{ alg }, claims] = [parsePart(header), parsePart(payload)];
  if (alg !== 'RS256') throw undecodable();
  const app = state.apps.findByIssuer(String(claims['iss']));
  if (!app) throw new ApiError(404, 'Integration not found');
  const isSignedBy = (publicKey: string): boolean =>
    createVerify('RSA-SHA256')
      .update(`${header}.${payload}`)
      .verify(createPublicKey(publicKey), Buffer.from(signature, 'base64url'));
  if (!app.publicKeys.some(isSignedBy)) throw undecodable();
  const now = Math.floor(state.now().getTime() / 1000);
  const [iat, exp] = [Number(claims['iat']), Number(claims['exp'])];
  if (!Number.isFinite(iat) || iat > now + CLOCK_DRIFT_S) {
    throw new ApiError(
      401,
      "'Issued at' claim ('iat') must be an Integer representing the time that the assertion was issued",
    );
  }
  if (!Number.isFinite(exp) || exp <= now) {
    throw new ApiError(
      401,
      "'Expiration time' claim ('exp') must be a numeric value representing the future time at which the assertion expires",
    );
  }
  if (exp > now + LONGEST_LIFE_S) throw new ApiError(401, "'Expiration time' claim ('exp') is too far in the future");
  return app;
}

function parsePart(part: string): Record<string, unknown> {
  try {
    return JSON.parse(Buffer.from(part, 'base64url').toString()) as Record<string, unknown>;
  } catch {
    throw undecodable();
  }
}

function undecodable(): ApiError {
  return new ApiError(401, 'A JSON web token could not be decoded');
}
