import { type DynamicModule, Module } from '@nestjs/common';
import { ENVIRONMENT, type Environment } from './environment.js';

/** Provides the parsed environment as `ENVIRONMENT`. */
@Module({})
export class ConfigModule {
  static of(environment: Environment): DynamicModule {
    return {
      module: ConfigModule,
      global: true,
      providers: [{ provide: ENVIRONMENT, useValue: environment }],
      exports: [ENVIRONMENT],
    };
  }
}
