import { Button, type ButtonProps } from '@/ui/button';

interface SubmitButtonProps extends Pick<ButtonProps, 'size' | 'className' | 'icon' | 'disabled'> {
  busy: boolean;
  label: string;
  busyLabel: string;
}

/** While it is busy it is not disabled: that would take the focus away from whoever pressed it. */
export function SubmitButton({ busy, label, busyLabel, ...look }: SubmitButtonProps) {
  return (
    <Button type="submit" variant="primary" aria-disabled={busy || undefined} {...look}>
      {busy ? busyLabel : label}
    </Button>
  );
}
