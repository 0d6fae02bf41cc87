import { readFileSync } from 'node:fs';
import {
  buildSchema,
  type DocumentNode,
  executeSync,
  getNamedType,
  type GraphQLFieldResolver,
  type GraphQLSchema,
  parse,
} from 'graphql';

let schema: GraphQLSchema | undefined;
const documents = new Map<string, DocumentNode>();
let problems: string[] = [];

/** The gateway's schema, built once for all tests of a worker. */
function schemaOfGateway(): GraphQLSchema {
  schema ??= buildSchema(readFileSync('../gateway/schema.graphql', 'utf8'), { assumeValid: true, noLocation: true });
  return schema;
}

function documentOf(query: string): DocumentNode {
  const known = documents.get(query) ?? parse(query, { noLocation: true });
  documents.set(query, known);
  return known;
}

// Check scalar types here, because GraphQL itself converts numbers to strings and accepts any value for an unknown
// scalar.
const PLAIN: Readonly<Record<string, string>> = {
  String: 'string',
  ID: 'string',
  DateTime: 'string',
  Boolean: 'boolean',
  Int: 'number',
  Float: 'number',
};

function isPlain(value: unknown, type: string): boolean {
  if (Array.isArray(value)) return value.every((entry) => isPlain(entry, type));
  return value === null || typeof value === type;
}

/** Reads a field of the fake response by the field's alias in the query. */
const resolve: GraphQLFieldResolver<unknown, unknown> = (source, _args, _context, { path, parentType, returnType, fieldName }) => {
  const value = (source as Record<string, unknown>)[path.key];
  if (value === undefined) throw new Error(`${parentType.name}.${fieldName} is missing`);
  const wanted = PLAIN[getNamedType(returnType).name];
  if (wanted && !isPlain(value, wanted)) throw new Error(`${parentType.name}.${fieldName} is no ${wanted}`);
  return value;
};

/**
 * Executes an operation on a fake response instead of real data. The test fails if a requested field is missing, if a
 * value's type differs from the schema, or if the server would refuse a variable; see `takeProblems`.
 */
export function executeFake(query: string, variables: Record<string, unknown>, data: unknown): unknown {
  const document = documentOf(query);
  const result = executeSync({
    schema: schemaOfGateway(),
    document,
    rootValue: data,
    variableValues: variables,
    fieldResolver: resolve,
  });
  const operation = /(?:query|mutation|subscription)\s+(\w+)/.exec(query)?.[1] ?? query;
  for (const { message, path } of result.errors ?? []) {
    problems.push(`${operation}${path ? ` at ${path.join('.')}` : ''}: ${message}`);
  }
  return result.data;
}

/** Returns the problems found in responses since the last call. */
export function takeProblems(): string[] {
  const found = [...new Set(problems)];
  problems = [];
  return found;
}
