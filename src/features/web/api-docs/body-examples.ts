import type { MediaTypeObject, OpenAPIObject, OperationObject } from '@nestjs/swagger';
import { exampleOf } from './schema-example.js';

/** Gives every body that states no example one, so that no reader has to make it up. */
export function addExamples({ paths, components }: OpenAPIObject): void {
  const schemas = components?.schemas ?? {};
  const complete = (media: MediaTypeObject): void => {
    if (media.schema && media.example === undefined) media.example = exampleOf(media.schema, schemas);
  };
  for (const item of Object.values(paths)) {
    for (const { requestBody, responses } of Object.values(item) as OperationObject[]) {
      for (const bearer of [requestBody, ...Object.values(responses)]) {
        if (bearer && 'content' in bearer) Object.values(bearer.content ?? {}).forEach(complete);
      }
    }
  }
}
