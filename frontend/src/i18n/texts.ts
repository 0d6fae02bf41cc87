import type { FlatNamespace, ParseKeys, TypeOptions } from 'i18next';
import { useCallback } from 'react';
import { useTranslation } from 'react-i18next';

type Texts = TypeOptions['resources'];

/** A translation key with its file, such as 'drivers:fields.name'. The key of a plural has no suffix. */
export type TextKey = { [File in FlatNamespace]: `${File}:${ParseKeys<File>}` }[FlatNamespace];

type GroupsOf<Group, Path extends string> = {
  [Name in keyof Group & string]: Group[Name] extends string
    ? never
    : `${Path}${Name}` | GroupsOf<Group[Name], `${Path}${Name}.`>;
}[keyof Group & string];

/** The common prefix of several keys of a file, such as 'drivers:fields'. */
export type TextGroup = { [File in keyof Texts & string]: GroupsOf<Texts[File], `${File}:`> }[keyof Texts & string];

/** The names for which a group has a text. */
export type NameIn<Group extends TextGroup> = TextKey extends infer Key
  ? Key extends `${Group}.${infer Name}`
    ? Name
    : never
  : never;

/** The groups that have a text for each of these names. */
export type GroupWith<Name extends string> = {
  [Group in TextGroup]: `${Group}.${Name}` extends TextKey ? Group : never;
}[TextGroup];

export type TextOf = (key: TextKey, values?: Readonly<Record<string, unknown>>) => string;

/** Returns a function that translates keys of all files. Form and list definitions use keys of several files. */
export function useText(): TextOf {
  const { t } = useTranslation();
  // i18next types `t` by the files that are passed to the hook. With all files, TypeScript would compare all keys at
  // every use, which takes longer than the rest of the type check.
  return t as TextOf;
}

/** Translates a value sent by the server. A value that this version does not know is returned unchanged. */
export type NameOf = (groups: TextGroup | readonly TextGroup[], value: string) => string;

export function useNameOf(): NameOf {
  const { t, i18n } = useTranslation();
  return useCallback(
    (groups, value) => {
      const keys = [groups].flat().map((group) => `${group}.${value}`);
      const known = keys.find((key) => i18n.exists(key, { returnObjects: false }));
      // Not as the default of `t`, which would replace `$t(…)` and `{{…}}` in a value.
      return known === undefined ? value : (t as TextOf)(known as TextKey);
    },
    [t, i18n],
  );
}

/** Returns the key of a group's text for a name. `GroupWith` in the caller's types ensures that the text exists. */
export function textIn(group: string, name: string): TextKey {
  return `${group}.${name}` as TextKey;
}
