int of_another();

/// Function of a library that is there when programs are linked, and not when they start.
int of_another() {
  return 100;
}
