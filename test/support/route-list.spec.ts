import { describe, expect, it } from '@jest/globals';
import { All, Controller, Get, type INestApplicationContext, Post } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import { CiAuth, Public } from '../../src/auth/access.decorators.js';
import { listRoutes } from './route-list.js';

@Controller('releases/')
class Releases {
  @Post()
  @CiAuth('evidence:write')
  upload(): void {}

  @Get()
  @Public()
  list(): void {}

  @Get('/:id')
  undeclared(): void {}

  notARoute(): void {}
}

@Controller(['alpha', 'beta'])
class Twofold {
  @All(['one', 'two'])
  either(): void {}
}

@Controller()
class Root {
  @Get()
  front(): void {}
}

class Bare {
  @Get('bare')
  route(): void {}
}

/** An app of which only the controllers of its modules exist. */
const appOf = (...modules: readonly (readonly object[])[]): INestApplicationContext => {
  const container = new Map(
    modules.map((controllers, at) => [
      String(at),
      { controllers: new Map(controllers.map((metatype) => [metatype, { metatype }])) },
    ]),
  );
  return { get: (token: unknown) => (token === ModulesContainer ? container : null) } as INestApplicationContext;
};

describe('listRoutes', () => {
  it('names every route of every module with its rule, by path and method', () => {
    expect(listRoutes(appOf([Releases], [Root]))).toEqual([
      { method: 'GET', path: '/', handler: 'Root.front', rule: null },
      { method: 'GET', path: '/releases', handler: 'Releases.list', rule: { kind: 'public' } },
      {
        method: 'POST',
        path: '/releases',
        handler: 'Releases.upload',
        rule: { kind: 'ci', scope: 'evidence:write', tenantBy: 'guard' },
      },
      { method: 'GET', path: '/releases/:id', handler: 'Releases.undeclared', rule: null },
    ]);
  });

  it('returns the routes of a class without a path', () => {
    expect(listRoutes(appOf([Bare]))).toMatchObject([{ path: '/bare', handler: 'Bare.route' }]);
  });

  it('names a route below each of its prefixes and by each of its paths', () => {
    expect(listRoutes(appOf([Twofold])).map(({ method, path }) => `${method} ${path}`)).toEqual([
      'ALL /alpha/one',
      'ALL /alpha/two',
      'ALL /beta/one',
      'ALL /beta/two',
    ]);
  });
});
