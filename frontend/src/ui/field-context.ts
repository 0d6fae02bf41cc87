import { createContext, use } from 'react';

interface FieldContextValue {
  id: string;
  describedBy: string | undefined;
  invalid: boolean;
  required: boolean;
}

export const FieldContext = createContext<FieldContextValue | null>(null);

interface ControlProps {
  id?: string | undefined;
  'aria-describedby'?: string | undefined;
  'aria-invalid'?: boolean | 'true' | 'false' | 'grammar' | 'spelling' | undefined;
  'aria-required'?: boolean | 'true' | 'false' | undefined;
}

/** What a control inside a Field must carry to be named, described and marked by it. */
export function useFieldControl(own: ControlProps): ControlProps {
  const field = use(FieldContext);
  if (!field) return {};
  return {
    id: own.id ?? field.id,
    'aria-describedby': own['aria-describedby'] ?? field.describedBy,
    'aria-invalid': own['aria-invalid'] ?? (field.invalid || undefined),
    'aria-required': own['aria-required'] ?? (field.required || undefined),
  };
}
