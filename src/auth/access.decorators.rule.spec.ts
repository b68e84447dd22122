import { describe, expect, it } from '@jest/globals';
import { getAccessRule, CiAuth, PersonalKey, Public, Requires } from './access.decorators.js';

class Routes {
  @Public()
  open(): void {}

  @Requires('admin')
  forAdmins(): void {}

  @Requires('member', { workspaceInQuery: true })
  stream(): void {}

  @Requires('member', { personalKey: 'read' })
  list(): void {}

  @Requires('member', { ci: 'gate:read' })
  statement(): void {}

  @CiAuth('evidence:write')
  upload(): void {}

  @CiAuth('gate:read', { tenantBy: 'handler' })
  gate(): void {}

  @PersonalKey('write')
  tools(): void {}

  undeclared(this: void): void {}
}

describe('the access rule of a route', () => {
  it.each([
    ['open', { kind: 'public' }],
    ['forAdmins', { kind: 'session', role: 'admin' }],
    ['stream', { kind: 'session', role: 'member', workspaceInQuery: true }],
    ['list', { kind: 'session', role: 'member', personalKey: 'read' }],
    ['statement', { kind: 'session', role: 'member', ci: 'gate:read' }],
    ['upload', { kind: 'ci', scope: 'evidence:write', tenantBy: 'guard' }],
    ['gate', { kind: 'ci', scope: 'gate:read', tenantBy: 'handler' }],
    ['tools', { kind: 'personal_key', scope: 'write' }],
  ] as const)('of %s is the declared rule', (route, rule) => {
    expect(getAccessRule(Routes.prototype[route])).toEqual(rule);
  });

  it('is null without a declaration', () => {
    expect(getAccessRule(Routes.prototype.undeclared)).toBeNull();
  });

  it.each([undefined, null, 'open', {}])('is null of %j, which is no handler', (handler) => {
    expect(getAccessRule(handler)).toBeNull();
  });

  it('is declared once: a second declaration throws, even of the same rule', () => {
    const named = Symbol('gate');
    const declare = (second: MethodDecorator, property: string | symbol) => () => {
      const descriptor = { value: () => undefined };
      CiAuth('gate:read')(Routes.prototype, property, descriptor);
      second(Routes.prototype, property, descriptor);
    };
    expect(declare(Public(), 'gate')).toThrow(new TypeError('Routes.gate declares its access twice.'));
    expect(declare(CiAuth('gate:read'), named)).toThrow('Routes.Symbol(gate) declares its access twice.');
  });
});
