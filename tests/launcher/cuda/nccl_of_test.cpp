int of_another();

/// Of a library that is there when programs are linked, and not when they start.
int of_another() {
  return 100;
}
