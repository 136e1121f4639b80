// Whether a value is exactly what a schema gives back: then it goes on as it is, and nothing is copied. Made from the schema
// itself, so that there is one description of a payload. It never decides against a value: what it does not let through is
// read by the schema, which leaves out what it does not know or names what is wrong.

import { z } from 'zod';

type Fits = (value: unknown) => boolean;

/** A quick check made from a schema: `true` is certain, `false` means to ask the schema. */
export function exactFit<T>(schema: z.ZodType<T>): (value: unknown) => value is T {
  const fits = fitOf(schema);
  return (value): value is T => fits(value);
}

const NEVER: Fits = () => false;

function fitOf(schema: unknown): Fits {
  if (!(schema instanceof z.ZodType) || (schema.def.checks ?? []).length > 0) return NEVER;
  if (schema instanceof z.ZodString) return (value) => typeof value === 'string';
  if (schema instanceof z.ZodNumber) return Number.isFinite;
  if (schema instanceof z.ZodBoolean) return (value) => typeof value === 'boolean';
  if (schema instanceof z.ZodCustom) return customFit(schema);
  if (schema instanceof z.ZodLiteral) return oneOf(schema.values);
  if (schema instanceof z.ZodEnum) return oneOf(new Set(schema.options));
  if (schema instanceof z.ZodArray) return listFit(fitOf(schema.element));
  if (schema instanceof z.ZodObject) return recordFit(schema.shape);
  if (schema instanceof z.ZodDiscriminatedUnion) return unionFit(schema);
  return NEVER;
}

function customFit({ def: { fn } }: z.ZodCustom): Fits {
  return (value) => fn(value) === true;
}

function oneOf(values: ReadonlySet<unknown>): Fits {
  return (value) => values.has(value);
}

function listFit(element: Fits): Fits {
  return (value) => {
    if (!Array.isArray(value)) return false;
    for (const one of value) if (!element(one)) return false;
    return true;
  };
}

interface Field {
  readonly fits: Fits;
  readonly required: 0 | 1;
}

function recordFit(shape: Readonly<Record<string, unknown>>): Fits {
  const fields = new Map(Object.entries(shape).map(([key, schema]): [string, Field] => [key, fieldOf(schema)]));
  const required = [...fields.values()].filter((field) => field.required === 1).length;
  return (value) => {
    if (!isRecord(value)) return false;
    let found = 0;
    for (const key in value) {
      const field = fields.get(key);
      if (field === undefined || !field.fits(value[key])) return false;
      found += field.required;
    }
    return found === required;
  };
}

function fieldOf(schema: unknown): Field {
  if (schema instanceof z.ZodExactOptional) return { fits: fitOf(schema.unwrap()), required: 0 };
  return { fits: fitOf(schema), required: 1 };
}

function unionFit({ def: { discriminator }, options }: z.ZodDiscriminatedUnion): Fits {
  const byTag = new Map<unknown, Fits>();
  for (const option of options) {
    const tag = shapeOf(option).get(discriminator);
    if (tag instanceof z.ZodLiteral) for (const name of tag.values) byTag.set(name, fitOf(option));
  }
  return (value) =>
    isRecord(value) && Object.hasOwn(value, discriminator) && (byTag.get(value[discriminator]) ?? NEVER)(value);
}

function shapeOf(schema: unknown): ReadonlyMap<string, unknown> {
  return new Map(schema instanceof z.ZodObject ? Object.entries(schema.shape) : []);
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
