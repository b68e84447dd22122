import { Module } from '@nestjs/common';
import { PeopleReader } from './users/people.reader.js';
import { PeopleRepository } from './users/people.repository.js';
import { TokenSeals } from './users/token-seals.js';
import { UserTokens } from './users/user-tokens.service.js';

@Module({ providers: [PeopleReader, PeopleRepository, TokenSeals, UserTokens], exports: [PeopleReader, UserTokens] })
export class PeopleModule {}
