type ClassName = string | false | null | undefined;

export function cn(...names: ClassName[]): string {
  return names.filter(Boolean).join(' ');
}
