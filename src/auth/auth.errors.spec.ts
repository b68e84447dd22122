import { describe, expect, it } from '@jest/globals';
import {
  routeWithoutAccessRule,
  credentialInvalid,
  credentialMissing,
  insufficientScope,
  workspaceNotSelected,
  crossOriginRejected,
  organizationWithoutWorkspace,
  roleMissing,
  sessionMissing,
  sessionOrKeyMissing,
  tooManyFailures,
} from './auth.errors.js';

const challenge = (value: string) => ({ 'WWW-Authenticate': value });

describe('the error for a rejected caller', () => {
  it.each([
    [
      'without a credential of CI',
      () => credentialMissing('an identity token or an API key'),
      401,
      'This needs an identity token or an API key as a bearer credential.',
      challenge('Bearer realm="shipgate"'),
    ],
    [
      'without a personal key',
      () => credentialMissing('a personal key'),
      401,
      'This needs a personal key as a bearer credential.',
      challenge('Bearer realm="shipgate"'),
    ],
    [
      'with an invalid credential',
      credentialInvalid,
      401,
      'The credential is not valid.',
      challenge('Bearer realm="shipgate", error="invalid_token"'),
    ],
    [
      'with a credential that lacks the scope',
      () => insufficientScope('gate:read'),
      403,
      'The credential lacks the scope gate:read.',
      challenge('Bearer realm="shipgate", error="insufficient_scope", scope="gate:read"'),
    ],
    ['without a session', sessionMissing, 401, 'This needs a session.', {}],
    [
      'without a session or a personal key',
      () => sessionOrKeyMissing('a personal key'),
      401,
      'This needs a session, or a personal key as a bearer credential.',
      { 'WWW-Authenticate': 'Bearer realm="shipgate"' },
    ],
    [
      'without a session or a credential of CI',
      () => sessionOrKeyMissing('a credential of CI'),
      401,
      'This needs a session, or a credential of CI as a bearer credential.',
      { 'WWW-Authenticate': 'Bearer realm="shipgate"' },
    ],
    [
      'without a selected workspace',
      workspaceNotSelected,
      403,
      'You are not a member of a selected workspace. Select one of your workspaces.',
      { 'X-Error-Code': 'no_workspace' },
    ],
    [
      'who is not an admin',
      () => roleMissing('admin'),
      403,
      'This needs an admin of the workspace.',
      { 'X-Error-Code': 'admin_required' },
    ],
    [
      'who is neither an auditor nor an admin',
      () => roleMissing('auditor'),
      403,
      'This needs an auditor or an admin of the workspace.',
      { 'X-Error-Code': 'auditor_required' },
    ],
    [
      'who is not a platform admin',
      () => roleMissing('platform_admin'),
      403,
      'This needs a platform admin.',
      { 'X-Error-Code': 'platform_admin_required' },
    ],
    [
      'from another page',
      crossOriginRejected,
      403,
      'Cross-origin request rejected. A session works only for pages of this service.',
      { 'X-Error-Code': 'cross_origin' },
    ],
    [
      'without a workspace',
      organizationWithoutWorkspace,
      403,
      "The repository's organization has no workspace. Install the app in the organization.",
      {},
    ],
    [
      'on a route without an access rule',
      routeWithoutAccessRule,
      403,
      'This route is closed because it declares no access rule.',
      {},
    ],
    [
      'after too many failures',
      () => tooManyFailures(42),
      429,
      'Too many invalid credentials from this address. Try again later.',
      { 'Retry-After': '42' },
    ],
  ])('%s', (_, refuse, expectedStatus, expectedMessage, expectedHeaders) => {
    const { status, message, headers } = refuse();
    expect({ status, message, headers }).toEqual({
      status: expectedStatus,
      message: expectedMessage,
      headers: expectedHeaders,
    });
  });
});
