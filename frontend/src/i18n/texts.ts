import type { FlatNamespace, ParseKeys, TypeOptions } from 'i18next';
import { useCallback } from 'react';
import { useTranslation } from 'react-i18next';

type Texts = TypeOptions['resources'];

/** A text of any file, as definitions name it: 'drivers:fields.name'. Names a plural without its suffix. */
export type TextKey = { [File in FlatNamespace]: `${File}:${ParseKeys<File>}` }[FlatNamespace];

type GroupsOf<Group, Path extends string> = {
  [Name in keyof Group & string]: Group[Name] extends string
    ? never
    : `${Path}${Name}` | GroupsOf<Group[Name], `${Path}${Name}.`>;
}[keyof Group & string];

/** What several texts of a file stand below: 'drivers:fields'. */
export type TextGroup = { [File in keyof Texts & string]: GroupsOf<Texts[File], `${File}:`> }[keyof Texts & string];

/** What a group has texts for. */
export type NameIn<Group extends TextGroup> = TextKey extends infer Key
  ? Key extends `${Group}.${infer Name}`
    ? Name
    : never
  : never;

/** The groups that have a text for each of the names. */
export type GroupWith<Name extends string> = {
  [Group in TextGroup]: `${Group}.${Name}` extends TextKey ? Group : never;
}[TextGroup];

export type TextOf = (key: TextKey, values?: Readonly<Record<string, unknown>>) => string;

/** Translates the keys of definitions, whose file is not that of the component. */
export function useText(): TextOf {
  const { t } = useTranslation();
  // The `t` of i18next knows the files that were named to the hook. All of them together would be
  // compared with each other at every use, which takes the type check longer than everything else.
  return t as TextOf;
}

/** Translates a value that the server may know before this version does; it then stands for itself. */
export type NameOf = (groups: TextGroup | readonly TextGroup[], value: string) => string;

export function useNameOf(): NameOf {
  const { t } = useTranslation();
  return useCallback(
    (groups, value) => t([groups].flat().map((group) => `${group}.${value}`), { defaultValue: value }),
    [t],
  );
}

/** The key of the text that a group has for a name; the caller's types say that it has one (`GroupWith`). */
export function textIn(group: string, name: string): TextKey {
  return `${group}.${name}` as TextKey;
}
