import { Module } from '@nestjs/common';
import { PolicyObserver } from './policy-observer.service.js';
import { PolicySchemaController } from './policy-schema.controller.js';

@Module({ controllers: [PolicySchemaController], providers: [PolicyObserver], exports: [PolicyObserver] })
export class PolicyModule {}
