import { Reflector } from '@nestjs/core';

/** Shows a body that the route takes, where the examples of its schema's members would not make a believable one. */
export const ExampleBody = Reflector.createDecorator<object>();
