import { describe, expect, it } from '@jest/globals';
import { changeDatabaseUrl, hostUrls, readDatabaseUrl } from './database-url.js';

describe('hostUrls', () => {
  it.each([
    ['postgres://u:p@a/db', ['postgres://u:p@a/db']],
    ['postgres://u@a:1,b/db', ['postgres://u@a:1/db', 'postgres://u@b/db']],
    [
      'postgresql://u:p%40,x@[::1]:1,b:2/db?sslmode=require&target_session_attrs=read-write',
      ['postgresql://u:p%40,x@[::1]:1/db?sslmode=require', 'postgresql://u:p%40,x@b:2/db?sslmode=require'],
    ],
    ['postgres://a,b', ['postgres://a', 'postgres://b']],
  ])('separates the servers of %s', (url, urls) => {
    expect(hostUrls(url)).toEqual(urls);
  });
});

describe('changeDatabaseUrl', () => {
  const change = (url: URL): void => {
    url.username = 'other';
    url.password = 'p,@';
    url.pathname = '/x';
  };

  it.each([
    ['postgres://u@a:1/db?sslmode=require', 'postgres://other:p,%40@a:1/x?sslmode=require'],
    ['postgres://u:q@a:1,b:2/db?sslmode=require', 'postgres://other:p,%40@a:1,b:2/x?sslmode=require'],
  ])('changes %s and keeps its hosts', (url, changed) => {
    expect(changeDatabaseUrl(url, change)).toBe(changed);
  });
});

describe('readDatabaseUrl', () => {
  it.each([
    'postgres://u:p@a/db',
    'postgresql://a:5432,b:5433/db?target_session_attrs=read-write',
    'postgres://a,b/db?target_session_attrs=primary',
  ])('accepts %s', (url) => {
    expect(readDatabaseUrl(url)).toBe(url);
  });

  it.each([
    ['mysql://a/db', 'must be a postgres:// URL'],
    ['postgres://a:b:c,d/db', 'must be a postgres:// URL'],
    ['postgres://a,,b/db', 'has an empty host between two commas'],
    ['postgres://a,b/db?target_session_attrs=standby', 'must have read-write or primary as target_session_attrs'],
    ['postgres://a/db?target_session_attrs=any', 'must have read-write or primary as target_session_attrs'],
  ])('rejects %s', (url, problem) => {
    expect(() => readDatabaseUrl(url)).toThrow(problem);
  });
});
