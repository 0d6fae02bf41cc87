import type { ChangeEvent } from 'react';
import { Checkbox } from '@/ui/checkbox';

interface SelectBoxProps {
  label: string;
  checked: boolean;
  indeterminate?: boolean;
  onChange: (checked: boolean, withShift: boolean) => void;
}

function hasShift({ nativeEvent }: ChangeEvent): boolean {
  return 'shiftKey' in nativeEvent && nativeEvent.shiftKey === true;
}

/** The box of a row. */
export function SelectBox({ label, checked, indeterminate = false, onChange }: SelectBoxProps) {
  return (
    <span className="flex items-center justify-center">
      <Checkbox
        aria-label={label}
        checked={checked}
        indeterminate={indeterminate}
        // A click with Shift would mark the text between.
        onMouseDown={(event) => event.shiftKey && event.preventDefault()}
        onChange={(event) => onChange(event.target.checked, hasShift(event))}
      />
    </span>
  );
}
