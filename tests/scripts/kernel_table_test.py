"""Tests the reading of machine code by benchmarks/gpu, with code that is written here: kernel_table_test.py BENCHMARKS_GPU."""

import sys
import unittest

sys.path.insert(0, sys.argv[1])
sys.dont_write_bytecode = True

import control_flow  # noqa: E402
import kernel_table  # noqa: E402
import launches  # noqa: E402
import predict  # noqa: E402
import sass  # noqa: E402

# A loop of eight instructions, of which one jumps to a slow path behind the end; the path comes back to the loop's middle.
TEXT = """
	.section	.text._Z4turnPf,"ax",@progbits
.text._Z4turnPf:
        /*0000*/                   LDC R1, c[0x0][0x28] ;
        /*0010*/                   MOV R4, 0x3 ;
.L_x_1:
        /*0020*/                   LDG.E.128 R8, desc[UR4][R2.64] ;
        /*0030*/                   LDG.E.U16 R12, desc[UR4][R2.64+0x10] ;
        /*0040*/               @P1 BRA `(.L_x_2) ;
        /*0050*/                   FADD R9, R9, R5 ;
.L_x_3:
        /*0060*/                   MUFU.RCP R12, R12 ;
        /*0070*/                   STG.E.64 desc[UR4][R2.64], R12 ;
        /*0080*/                   IADD3 R4, R4, -0x1, RZ ;
        /*0090*/               @P0 BRA `(.L_x_1) ;
        /*00a0*/               @P2 BRA `(.L_x_4) ;
        /*00b0*/                   DADD R6, R6, R6 ;
        /*00c0*/                   STL [R1], R6 ;
.L_x_4:
        /*00d0*/                   EXIT ;
.L_x_2:
        /*00e0*/                   CALL.REL.NOINC `($slow) ;
        /*00f0*/                   BRA `(.L_x_3) ;
.L_x_5:
        /*0100*/                   BRA `(.L_x_5);
        /*0110*/                   NOP ;
"""

# Three bodies, of one, two and three instructions; in the last one a slow path is for lanes that do not run together.
BODIES = """
	.section	.text._Z4turnPf,"ax",@progbits
.text._Z4turnPf:
        /*0000*/              @!P0 BRA `(.L_x_1) ;
        /*0010*/              @!P1 BRA `(.L_x_2) ;
        /*0020*/                   MOV R4, 0x3 ;
        /*0030*/                   EXIT ;
.L_x_2:
        /*0040*/                   FADD R9, R9, R5 ;
        /*0050*/                   FADD R9, R9, R5 ;
        /*0060*/                   EXIT ;
.L_x_1:
        /*0070*/                   FMUL R9, R9, R5 ;
        /*0080*/                   BRA.DIV UR4, `(.L_x_3) ;
.L_x_4:
        /*0090*/                   FMUL R9, R9, R5 ;
        /*00a0*/                   FMUL R9, R9, R5 ;
        /*00b0*/                   EXIT ;
.L_x_3:
        /*00c0*/                   MOV R4, 0x3 ;
        /*00d0*/                   BRA `(.L_x_4) ;
"""


def kernel(text=TEXT):
    code = sass.without_padding(sass.parsed_code(text)["_Z4turnPf"])
    return sass.Kernel("turn", 32, 8, 0, code)


class MachineCode(unittest.TestCase):
    def test_its_accesses_are_counted(self):
        turn = kernel()
        self.assertEqual(len(turn.code), 16)
        self.assertEqual((turn.widths("LDG"), turn.widths("STG")), ({16: 1, 128: 1}, {64: 1}))
        self.assertEqual(turn.count("STL", "LDL"), 1)

    def test_the_usual_path_has_the_loop_and_not_the_slow_path(self):
        whole = control_flow.analysed(kernel())
        self.assertEqual([len(loop.path) for loop in (whole, *whole.children)], [6, 8])
        # FADD waits for both loads.
        self.assertEqual([loop.waits for loop in (whole, *whole.children)], [0, 1])

    def test_avoided_words_are_jumped_over(self):
        whole = control_flow.analysed(kernel(), control_flow.DOUBLE)
        self.assertEqual([instruction.word for instruction in whole.path], ["LDC", "MOV", "BRA", "EXIT"])

    def test_idle_pieces_are_jumped_over(self):
        # The piece of DADD and STL; the branch to the slow path jumps over it, too, but to behind the end.
        for idle, length in (({"STL": (0,)}, 4), ({"STL": (1,)}, 6), ({"LDG": (0, 1)}, 6)):
            self.assertEqual(len(control_flow.analysed(kernel(), (), idle).path), length)

    def test_a_body_is_chosen_by_its_branch(self):
        for body, words in ((None, ["BRA", "BRA", "MOV", "EXIT"]), (1, ["BRA", "BRA", "FADD", "FADD", "EXIT"]),
                            (0, ["BRA", "FMUL", "BRA", "FMUL", "FMUL", "EXIT"])):  # fmt: skip
            path = control_flow.analysed(kernel(BODIES), body=body).path
            self.assertEqual([instruction.word for instruction in path], words)

    def test_names_are_short(self):
        for long, short in (("void gausscse::kernels::cuda::f<float, gausscse::kernels::Joint<gausscse::kernels::cuda::M>, "
                             "(gausscse::kernels::cuda::Side)1>(int, void (*)(int))", "f<float, Joint<M>, 1>"),
                            ("g(double)", "g")):  # fmt: skip
            self.assertEqual(sass.short_name(long), short)


class Predictions(unittest.TestCase):
    def launch(self, **changes):
        values = {"kernel": "turn", "times": 1, "blocks": 132, "threads": 32, "bytes": 0, "turns": ((10, ()),)}
        return launches.Launch(**{**values, **changes})

    def test_the_longest_time_counts(self):
        kernels = {"turn": kernel()}
        of_waits = predict.predicted(self.launch(), kernels)
        # A block on each multiprocessor, of one warp: 86 instructions, and ten waits.
        self.assertEqual((of_waits.bound, of_waits.instructions), ("waits", 132 * 86))
        self.assertAlmostEqual(of_waits.seconds, (10 * 700 + 86 * 4) / 1.755e9 + 1.5e-6)
        of_memory = predict.predicted(self.launch(bytes=4.3e9), kernels)
        self.assertEqual((of_memory.bound, of_memory.floor), ("memory", 1e-3))
        # 64 warps a multiprocessor are 32 blocks of two.
        many = predict.predicted(self.launch(blocks=132 * 320, threads=64), kernels)
        self.assertEqual(many.bound, "waits")
        self.assertAlmostEqual(many.seconds, 10 * (10 * 700 + 86 * 4) / 1.755e9 + 1.5e-6)

    def test_bodies_share_the_multiprocessors(self):
        bodies = (launches.Body(0, 132 * 32, ()), launches.Body(None, 132 * 64, ()))
        of_both = predict.predicted(self.launch(blocks=132 * 96, turns=(), bodies=bodies), {"turn": kernel(BODIES)})
        # 32 blocks at a time on each multiprocessor: one with six instructions, then two with four.
        self.assertEqual((of_both.bound, of_both.instructions), ("instructions", 132 * (32 * 6 + 64 * 4)))
        self.assertAlmostEqual(of_both.seconds, (32 * 6 + 64 * 4) / 2.25 / 1.755e9 + 1.5e-6)
        # Few blocks take as long as the longest of them.
        bodies = (launches.Body(0, 1, ()), launches.Body(None, 131, ()))
        of_one = predict.predicted(self.launch(turns=(), bodies=bodies), {"turn": kernel(BODIES)})
        self.assertEqual(of_one.bound, "waits")
        self.assertAlmostEqual(of_one.seconds, 6 * 4 / 1.755e9 + 1.5e-6)

    def test_other_loops_than_expected_are_refused(self):
        with self.assertRaisesRegex(predict.Mismatch, "turn: 2 loops are expected where the build has 1"):
            predict.predicted(self.launch(turns=((1, ()), (1, ()))), {"turn": kernel()})
        with self.assertRaisesRegex(predict.Mismatch, "no kernel turn"):
            predict.predicted(self.launch(), {})


class Table(unittest.TestCase):
    def test_it_is_read_as_it_was_written(self):
        rows = {"turn": kernel_table.row_of(kernel())}
        self.assertEqual(rows["turn"], {"registers": 32, "local": 8, "local_accesses": 1, "shared": 0,
                                        "loads": "1x16 1x128", "stores": "1x64"})  # fmt: skip
        self.assertEqual(kernel_table.parsed(kernel_table.lines_of(rows, "sm_90")), rows)

    def test_worse_and_better_kernels_differ(self):
        row = kernel_table.row_of(kernel())
        for change, is_worse in (({"registers": 33}, True), ({"registers": 31}, False), ({"local": 16}, True),
                                 ({"local_accesses": 2}, True), ({"shared": 4}, True), ({"loads": "4x16 1x128"}, True),
                                 ({"loads": "2x128"}, False), ({"stores": "2x32"}, True)):  # fmt: skip
            worse, other = kernel_table.differences({"turn": row}, {"turn": {**row, **change}})
            self.assertEqual((len(worse), len(other)), (1, 0) if is_worse else (0, 1), change)
        self.assertEqual(kernel_table.differences({"turn": row}, {"turn": row}), ([], []))
        self.assertEqual(kernel_table.differences({"turn": row}, {}), ([], ["turn: is in the table alone"]))
        self.assertEqual(kernel_table.differences({}, {"turn": row}), ([], ["turn: is not in the table"]))

    def test_the_tree_s_table_has_no_local_memory(self):
        rows = kernel_table.parsed(kernel_table.TABLE.read_text(encoding="utf-8"))
        self.assertGreater(len(rows), 50)
        self.assertEqual([name for name, row in rows.items() if row["local"] or row["local_accesses"]], [])


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]])
