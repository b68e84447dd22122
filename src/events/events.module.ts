import { Module } from '@nestjs/common';
import { EventsRepository } from './events.repository.js';

/** The log of what changed in a workspace. */
@Module({ providers: [EventsRepository], exports: [EventsRepository] })
export class EventsModule {}
