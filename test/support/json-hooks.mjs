// Node's module hooks (https://nodejs.org/docs/latest-v20.x/api/module.html#hooks), for packages that import JSON
// without the attribute that Node requires, as bundlers allow.
export async function resolve(specifier, context, next) {
  const resolved = await next(specifier, context);
  return resolved.url.endsWith('.json') ? { ...resolved, importAttributes: { type: 'json' } } : resolved;
}
